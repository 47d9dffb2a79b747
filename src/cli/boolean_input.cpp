// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads boolean programs, which may be written in their own language, in C, or as pushdown systems.
#include "boolprog/from_c.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "boolprog/pushdown_file.hpp"
#include "cli/boolean_program.hpp"
#include "cli/load_module.hpp"
#include "verdict/error.hpp"
#include "verdict/text_file.hpp"

namespace thrum {

namespace {

UserError error_in(const std::string& file, bp::Position where, const std::string& message) {
  return UserError(fmt::format("{}:{}:{}: {}", file, where.line, where.column, message));
}

bp::FromCReply translated(const FromCOptions& options) {
  bp::FromCRequest request{options.file, read_file(options.file), options.bits, options.include_folders};
  bp::FromCReply reply;
  auto function = reinterpret_cast<bp::FromCFunction>(module_function(
      options.file, {bp::kFromCModule, bp::kFromCFunction,
                     "cannot read C for this, since Clang 19's library was not there", "libclang-19-dev"}));
  function(request, reply);
  if (!reply.message.empty()) throw error_in(reply.file, reply.where, reply.message);
  return reply;
}

// The first line of the file in the same folder with the same name but another ending.
std::string read_beside(const std::string& path, const char* ending, const char* option) {
  std::filesystem::path beside = std::filesystem::path(path).replace_extension(ending);
  std::ifstream in(beside);
  std::string line;
  if (!in || !std::getline(in, line)) {
    throw UserError(fmt::format("{}: {} is missing, and so is {}", path, option, beside.string()));
  }
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
  return line;
}

bp::Flow read_pushdown(const std::string& path, std::string& first, std::string& target) {
  bp::PushdownFile file = bp::parse_pushdown(read_file(path));
  if (first.empty()) first = read_beside(path, ".init", "--init");
  if (target.empty()) target = read_beside(path, ".spec", "--target");
  return bp::to_flow(file, bp::parse_configuration(first, file), bp::parse_configuration(target, file));
}

}  // namespace

bool is_c_file(const std::string& path) { return path.ends_with(".c") || path.ends_with(".i"); }

bp::Program read_bool_program(const std::string& path, unsigned bits) {
  if (is_c_file(path))
    return translated({.file = path, .out = {}, .bits = bits, .include_folders = {}}).program;
  std::string text = read_file(path);
  try {
    return bp::parse(text);
  } catch (const bp::InputError& error) {
    throw error_in(path, error.where(), error.what());
  }
}

bp::Flow read_bool_flow(const std::string& path, unsigned bits, const std::vector<std::string>& threads,
                        std::string& first, std::string& target) {
  try {
    if (path.ends_with(".pds")) return read_pushdown(path, first, target);
    if (!first.empty() || !target.empty()) {
      throw UserError(path + ": --init and --target are of pushdown files (.pds)");
    }
    return bp::to_flow(read_bool_program(path, bits), threads);
  } catch (const bp::InputError& error) {
    throw error_in(path, error.where(), error.what());
  }
}

int bool_from_c_command(const FromCOptions& options) {
  std::string text = translated(options).text;
  if (options.out.empty()) {
    fmt::print("{}", text);
  } else {
    write_file(options.out, text);
  }
  return kExitDone;
}

}  // namespace thrum
