// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs of C as boolean programs.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "boolprog/flow.hpp"
#include "cli/boolean_program.hpp"
#include "cli/error.hpp"
#include "cli/found_bugs.hpp"
#ifdef THRUM_HAS_LIBCLANG
#include "cprogram/translate.hpp"
#endif

namespace thrum {

namespace {

std::string read_file(const std::string& path) {
  if (std::filesystem::is_directory(path)) throw UserError(path + ": is a directory; name a program");
  std::ifstream in(path);
  if (!in) throw UserError(path + ": " + std::strerror(errno));
  return {std::istreambuf_iterator<char>(in), {}};
}

UserError error_in(const std::string& file, bp::Position where, const std::string& message) {
  return UserError(fmt::format("{}:{}:{}: {}", file, where.line, where.column, message));
}

#ifdef THRUM_HAS_LIBCLANG

cprogram::Options translation(const FromCOptions& options) {
  return {.bits = options.bits, .include_folders = options.include_folders};
}

bp::Program translated(const FromCOptions& options) {
  try {
    return cprogram::translate(options.file, read_file(options.file), translation(options));
  } catch (const cprogram::SourceError& error) {
    throw error_in(error.file(), error.where(), error.what());
  }
}

std::string text_of(const bp::Program& program, const FromCOptions& options) {
  return cprogram::to_text(program, options.file, translation(options));
}

#else

bp::Program translated(const FromCOptions& options) {
  throw UserError(options.file + ": this build of thrum reads no C, since libclang 19 was not there: "
                                 "install libclang-19-dev, and build it again");
}
std::string text_of(const bp::Program& /*program*/, const FromCOptions& /*options*/) { return {}; }

#endif

}  // namespace

bool is_c_file(const std::string& path) { return path.ends_with(".c") || path.ends_with(".i"); }

bp::Program read_bool_program(const std::string& path, unsigned bits) {
  if (is_c_file(path)) return translated({.file = path, .out = {}, .bits = bits, .include_folders = {}});
  std::string text = read_file(path);
  try {
    return bp::parse(text);
  } catch (const bp::InputError& error) {
    throw error_in(path, error.where(), error.what());
  }
}

int bool_from_c_command(const FromCOptions& options) {
  std::string text = text_of(translated(options), options);
  if (options.out.empty()) {
    fmt::print("{}", text);
  } else {
    write_file(options.out, text);
  }
  return kExitDone;
}

}  // namespace thrum
