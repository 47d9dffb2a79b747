// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stock compiler instruments for its thread sanitizer, and our runtime is linked in libtsan's place: see
// cmake/runtime.cmake for how g++ is made to take it.
//
// Tested by driver_test.cpp.
#include "cli/driver.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "cli/error.hpp"

namespace thrum {

namespace {

// Calls of the program's that the runtime sees through the linker: src/runtime/wrap_string.cpp.
constexpr std::string_view kWrapped[] = {"memcpy",  "memmove",  "memset",   "strcpy",
                                         "strncpy", "strcat",   "strncat",  "stpcpy",
                                         "sprintf", "snprintf", "vsprintf", "vsnprintf"};

namespace fs = std::filesystem;

// What the arguments ask the compiler for.
struct Request {
  bool compiles = false;
  bool links = false;
  bool debug_option = false;  // some -g is there
};

// Options whose argument is the next word, which else would pass for an input.
constexpr std::array kTakesWord = {"-o",        "-x",         "-I",       "-L",          "-D",
                                   "-U",        "-include",   "-imacros", "-isystem",    "-iquote",
                                   "-isysroot", "-idirafter", "-iprefix", "-MF",         "-MT",
                                   "-MQ",       "-T",         "-u",       "-z",          "-e",
                                   "-B",        "-Xlinker",   "-Xclang",  "-Xassembler", "-Xpreprocessor",
                                   "-mllvm",    "--param",    "-target",  "-arch",       "-aux-info",
                                   "-wrapper",  "-dumpbase",  "-dumpdir", "--sysroot",   "-A",
                                   "-h"};
constexpr std::array kStopsBeforeLink = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"};
constexpr std::array kLinkerInputs = {".o", ".a", ".so", ".lo", ".la", ".obj", ".ld", ".lds"};

template <typename List>
bool contains(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool is_linker_input(std::string_view file) {
  return file.find(".so.") != std::string_view::npos ||
         std::any_of(kLinkerInputs.begin(), kLinkerInputs.end(),
                     [&](auto* end) { return file.ends_with(end); });
}

void refuse(std::string_view word) {
  if (word == "-static" || word == "--static" || word == "-static-pie") {
    throw UserError(std::string(word) +
                    ": a fully static program cannot be checked; leave it out (-static-libstdc++ works)");
  }
  if (!word.starts_with("-fsanitize=")) return;
  for (std::string_view other : {"address", "memory", "hwaddress", "leak"}) {
    if (("," + std::string(word.substr(11)) + ",").find("," + std::string(other) + ",") == std::string::npos)
      continue;
    throw UserError(std::string(word) +
                    ": does not go together with Thrum's own instrumentation; leave it out");
  }
}

Request understand(const std::vector<std::string>& arguments) {
  Request request;
  bool inputs = false;
  bool stops = false;
  bool language_given = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    refuse(word);
    if (contains(kStopsBeforeLink, word)) stops = true;
    if (word.starts_with("-g")) request.debug_option = true;
    if (word.starts_with("-x")) language_given = true;
    if (contains(kTakesWord, word)) {
      ++i;
      continue;
    }
    bool response_file = word.starts_with('@');
    if (word.starts_with('-') && word != "-") continue;
    inputs = true;
    if (response_file || language_given || !is_linker_input(word)) request.compiles = true;
  }
  request.links = inputs && !stops;
  return request;
}

void append(Command& command, std::initializer_list<std::string> words) {
  command.insert(command.end(), words);
}

}  // namespace

std::string installation_prefix() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path().parent_path().string();
}

Toolchain find_toolchain(Language language) {
  const char* variable = language == Language::c ? "THRUM_CC" : "THRUM_CXX";
  const char* chosen = std::getenv(variable);
  Toolchain toolchain;
  toolchain.compiler = split_words(chosen ? chosen : "");
  if (toolchain.compiler.empty()) toolchain.compiler = {language == Language::c ? "gcc" : "g++"};
  Command ask = toolchain.compiler;
  ask.emplace_back("--version");
  std::optional<std::string> version = output_of(ask);
  if (!version) {
    throw UserError(toolchain.compiler[0] + ": the compiler cannot be run; install it, or name another in " +
                    variable);
  }
  toolchain.clang = version->find("clang") != std::string::npos;
  toolchain.prefix = installation_prefix();
  return toolchain;
}

Command driver_command(const Toolchain& toolchain, const std::vector<std::string>& arguments) {
  Request request = understand(arguments);
  Command command = toolchain.compiler;
  if (request.compiles) {
    append(command, {"-fsanitize=thread", "-D__THRUM__=1", "-I" + toolchain.prefix + "/include"});
    if (!request.debug_option) command.emplace_back("-g");
    if (toolchain.clang) {
      append(command, {"-mllvm", "-tsan-distinguish-volatile", "-mllvm", "-tsan-compound-read-before-write"});
    } else {
      append(command, {"--param=tsan-distinguish-volatile=1", "-fno-builtin-memset"});
    }
  } else if (request.links) {
    command.emplace_back("-fsanitize=thread");
  }
  std::string library = toolchain.prefix + "/lib/thrum";
  if (request.links) {
    if (!fs::exists(library + "/libthrum.so")) {
      throw UserError(library +
                      "/libthrum.so: Thrum's runtime is missing; build or install Thrum completely");
    }
    append(command, {"-L" + library, "-Wl,-rpath," + library, "-Wl,-z,now", "-pthread"});
    for (std::string_view name : kWrapped) command.push_back("-Wl,--wrap=" + std::string(name));
    if (toolchain.clang) command.emplace_back("-fno-sanitize-link-runtime");
  }
  command.insert(command.end(), arguments.begin(), arguments.end());
  if (request.links && toolchain.clang) command.emplace_back("-lthrum");
  return command;
}

}  // namespace thrum
