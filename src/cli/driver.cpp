// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stock compiler instruments for its thread sanitizer, and our runtime is linked in libtsan's place: see
// flags.cpp and cmake/runtime.cmake.
//
// Tested by driver_test.cpp.
#include "cli/driver.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string_view>

#include "cli/arguments.hpp"
#include "cli/error.hpp"

namespace thrum {

namespace {

namespace fs = std::filesystem;

// Programs of ours that stand for one of the compiler's own.
constexpr std::string_view kPrefix = "thrum-";
constexpr std::array<std::string_view, 5> kArchivers = {"gcc-ar", "gcc-ranlib", "gcc-nm", "llvm-ar",
                                                        "llvm-ranlib"};

bool can_be_run(const Command& command) { return output_of(command).has_value(); }

// Whether a source file names functions that are atomic sections by their name: they must stay functions.
bool defines_section_functions(const std::vector<std::string>& arguments) {
  constexpr std::array<std::string_view, 5> kSources = {".c", ".cc", ".cpp", ".cxx", ".i"};
  for (const std::string& word : arguments) {
    bool source =
        std::any_of(kSources.begin(), kSources.end(), [&](auto end) { return word.ends_with(end); });
    if (word.starts_with('-') || !source) continue;
    std::ifstream file(word);
    for (std::string line; std::getline(file, line);) {
      constexpr std::string_view kSection = "__VERIFIER_atomic_";
      std::size_t at = line.find(kSection);
      if (at == std::string::npos) continue;
      std::string_view rest = std::string_view(line).substr(at + kSection.size());
      if (!rest.starts_with("begin") && !rest.starts_with("end")) return true;
    }
  }
  return false;
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
  // What a response file holds counts; but the compiler reads it itself.
  std::vector<std::string> words = expand_response_files(arguments);
  refuse_unsuitable(words);
  Request request = understand(words);
  Command command = toolchain.compiler;
  auto append = [&](const std::vector<std::string>& more) {
    command.insert(command.end(), more.begin(), more.end());
  };
  // Before the user's, which may overrule them.
  if (request.compiles) append(compile_flags(toolchain));
  if (request.compiles && defines_section_functions(words)) append({"-fno-inline"});
  if (request.links) append(link_flags(toolchain));
  append(arguments);
  return command;
}

std::optional<Command> archiver_command(const std::string& name, const Toolchain& toolchain,
                                        const std::vector<std::string>& arguments) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  std::string archiver = name.substr(kPrefix.size());
  if (std::find(kArchivers.begin(), kArchivers.end(), archiver) == kArchivers.end()) return std::nullopt;
  // The compiler's name, which may stand behind ccache's, also says which one of several is meant:
  // x86_64-linux-gnu-g++-12 goes with x86_64-linux-gnu-gcc-ar-12.
  static const std::regex kName(R"((.*-|.*/|)(?:g\+\+|gcc|c\+\+|cc|clang\+\+|clang)(-[0-9.]+)?)");
  Command command = {archiver};
  for (const std::string& word : toolchain.compiler) {
    std::smatch match;
    if (!std::regex_match(word, match, kName)) continue;
    std::string its_own = match.str(1) + archiver + match.str(2);
    if (can_be_run({its_own, "--version"})) command = {its_own};
    break;
  }
  if (command[0] == archiver && archiver.starts_with("llvm-")) {
    Command ask = toolchain.compiler;
    ask.push_back("-print-prog-name=" + archiver);
    std::string path = output_of(ask).value_or("");
    if (path.find('/') == 0) command = {path.substr(0, path.find('\n'))};
  }
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

}  // namespace thrum
