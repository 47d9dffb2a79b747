// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/build.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/arguments.hpp"
#include "cli/bitcode_driver.hpp"
#include "cli/driver.hpp"
#include "cli/process.hpp"
#include "verdict/error.hpp"

namespace thrum {

namespace {

namespace fs = std::filesystem;

constexpr std::array kCppEndings = {".cpp", ".cc", ".cxx", ".C", ".c++", ".cp", ".CPP"};

bool is_c(const std::string& file) { return fs::path(file).extension() == ".c"; }

enum class Bitcode { none, carried, carried_and_told };

// The user's flags come last, so that they overrule ours.
void run_compiler(const Toolchain& toolchain, const std::vector<std::string>& arguments,
                  const std::string& what, Bitcode bitcode) {
  const std::vector<std::string> words = expand_response_files(arguments);
  const bool in_steps = bitcode != Bitcode::none && makes_bitcode(words);
  const int code = in_steps ? compile_with_bitcode(toolchain, words, bitcode == Bitcode::carried_and_told)
                            : run(driver_command(toolchain, arguments));
  if (code != 0) throw UserError(what + ": does not compile; see the compiler's messages");
}

}  // namespace

bool is_source(const std::string& file) {
  std::string ending = fs::path(file).extension().string();
  return ending == ".c" || std::find(kCppEndings.begin(), kCppEndings.end(), ending) != kCppEndings.end();
}

TemporaryBuild::TemporaryBuild(const std::vector<std::string>& sources, const std::string& compile_flags,
                               bool bitcode) {
  sweep_temporary_folders();
  compile(sources, compile_flags, bitcode);
}

void TemporaryBuild::compile(const std::vector<std::string>& sources, const std::string& compile_flags,
                             bool bitcode) {
  std::vector<std::string> flags = split_words(compile_flags);
  bool all_c = std::all_of(sources.begin(), sources.end(), is_c);
  const auto find = bitcode ? find_bitcode_toolchain : find_toolchain;
  const Toolchain linker = find(all_c ? Language::c : Language::cpp);
  Command link = {"-o", program()};
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (!fs::exists(sources[i])) throw UserError(sources[i] + ": " + std::strerror(ENOENT));
    bool c = is_c(sources[i]);
    std::string object = folder_.path() + "/" + std::to_string(i) + ".o";
    Command command = {c ? "-std=gnu17" : "-std=gnu++20", "-O1", "-g"};
    command.insert(command.end(), flags.begin(), flags.end());
    command.insert(command.end(), {"-c", sources[i], "-o", object});
    const Toolchain compiler = c == all_c ? linker : find(c ? Language::c : Language::cpp);
    run_compiler(compiler, command, sources[i],
                 !bitcode ? Bitcode::none
                 : i == 0 ? Bitcode::carried_and_told
                          : Bitcode::carried);
    link.push_back(object);
  }
  link.insert(link.end(), flags.begin(), flags.end());
  run_compiler(linker, link, sources[0], bitcode ? Bitcode::carried : Bitcode::none);
}

}  // namespace thrum
