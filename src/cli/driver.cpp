// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stock compiler instruments for its thread sanitizer, and our runtime is linked instead of libtsan: see
// flags.cpp and cmake/runtime.cmake.
//
// Tested by driver_test.cpp.
#include "cli/driver.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string_view>

#include "cli/arguments.hpp"
#include "verdict/error.hpp"

namespace thrum {

namespace {

namespace fs = std::filesystem;

// Our programs that replace a program of the compiler.
constexpr std::string_view kPrefix = "thrum-";
constexpr std::array<std::string_view, 5> kArchivers = {"gcc-ar", "gcc-ranlib", "gcc-nm", "llvm-ar",
                                                        "llvm-ranlib"};

bool can_be_run(const Command& command) { return output_of(command).has_value(); }

bool is_source_file(const std::string& word) {
  constexpr std::array<std::string_view, 6> kEndings = {".c", ".cc", ".cpp", ".cxx", ".C", ".i"};
  return !word.starts_with('-') &&
         std::any_of(kEndings.begin(), kEndings.end(), [&](auto end) { return word.ends_with(end); });
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Whether the text contains names that make functions atomic sections.
bool names_section_functions(std::string_view text) {
  constexpr std::string_view kSection = "__VERIFIER_atomic_";
  for (std::size_t at = 0; (at = text.find(kSection, at)) != std::string_view::npos;) {
    at += kSection.size();
    if (!text.substr(at).starts_with("begin") && !text.substr(at).starts_with("end")) return true;
  }
  return false;
}

// Whether the text defines reach_error: name, parameters and body, with or without attributes.
bool defines_reach_error(std::string_view text) {
  constexpr std::string_view kName = "reach_error";
  for (std::size_t at = 0; (at = text.find(kName, at)) != std::string_view::npos;) {
    bool is_whole = at == 0 || !is_word(text[at - 1]);
    at += kName.size();
    std::size_t behind = text.find_first_not_of(" \t\r\n", at);
    if (!is_whole || behind == std::string_view::npos || text[behind] != '(') continue;
    std::size_t body = text.find_first_of("{;}", behind);
    if (body != std::string_view::npos && text[body] == '{') return true;
  }
  return false;
}

// The source files among the words, and the headers beside them that they include.
std::vector<std::string> source_texts(const std::vector<std::string>& words) {
  constexpr std::size_t kFilesMax = 200;
  std::vector<std::string> texts;
  std::vector<fs::path> files;
  std::copy_if(words.begin(), words.end(), std::back_inserter(files), is_source_file);
  for (std::size_t i = 0; i < files.size() && i < kFilesMax; ++i) {
    std::ifstream in(files[i]);
    const std::string& text =
        texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    constexpr std::string_view kInclude = "#include \"";
    for (std::size_t at = 0; (at = text.find(kInclude, at)) != std::string::npos;) {
      at += kInclude.size();
      fs::path header = files[i].parent_path() / text.substr(at, text.find_first_of("\"\n", at) - at);
      bool is_new = std::find(files.begin(), files.end(), header) == files.end();
      if (is_new && fs::is_regular_file(header)) files.push_back(std::move(header));
    }
  }
  return texts;
}

// Flags that keep functions with a meaning for Thrum from being optimised away.
std::vector<std::string> keeping_flags(const Toolchain& toolchain, const std::vector<std::string>& words) {
  const std::vector<std::string> texts = source_texts(words);
  bool section = std::any_of(texts.begin(), texts.end(), names_section_functions);
  if (!std::any_of(texts.begin(), texts.end(), defines_reach_error))
    return section ? std::vector<std::string>{"-fno-inline"} : std::vector<std::string>{};
  std::vector<std::string> flags;
  if (section || !toolchain.clang) flags.emplace_back("-fno-inline");
  if (toolchain.clang) {
    for (const char* name :
         {"reach_error", "_Z11reach_errorv", "_ZL11reach_errorv", "_ZN12_GLOBAL__N_111reach_errorEv"}) {
      for (const char* attribute : {":noinline", ":optnone"})
        flags.insert(flags.end(), {"-mllvm", std::string("-force-attribute=") + name + attribute});
    }
    return flags;
  }
  flags.emplace_back("-fno-ipa-pure-const");
  Command ask = toolchain.compiler;
  ask.emplace_back("-dumpversion");
  constexpr int kFirstWithModref = 11;
  if (std::atoi(output_of(ask).value_or("").c_str()) >= kFirstWithModref)
    flags.emplace_back("-fno-ipa-modref");
  return flags;
}

const char* variable_of(Language language) { return language == Language::c ? "THRUM_CC" : "THRUM_CXX"; }

// The words of the environment variable; none where it is not set.
Command chosen_compiler(Language language) {
  const char* chosen = std::getenv(variable_of(language));
  return split_words(chosen ? chosen : "");
}

// What the compiler says of itself.
std::string version_of(const Command& compiler, Language language) {
  Command ask = compiler;
  ask.emplace_back("--version");
  std::optional<std::string> version = output_of(ask);
  if (!version) {
    throw UserError(compiler[0] + ": the compiler cannot be run; install it, or name another in " +
                    variable_of(language));
  }
  return *version;
}

}  // namespace

bool counts_runs(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word == "--coverage" || word == "-coverage" || word.starts_with("-fprofile-arcs") ||
           word.starts_with("-fprofile-generate");
  });
}

std::string installation_prefix() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path().parent_path().string();
}

Toolchain find_toolchain(Language language) {
  Toolchain toolchain;
  toolchain.compiler = chosen_compiler(language);
  if (toolchain.compiler.empty()) toolchain.compiler = {language == Language::c ? "gcc" : "g++"};
  toolchain.clang = version_of(toolchain.compiler, language).find("clang") != std::string::npos;
  toolchain.prefix = installation_prefix();
  return toolchain;
}

Toolchain find_bitcode_toolchain(Language language) {
  Toolchain toolchain;
  toolchain.compiler = chosen_compiler(language);
  toolchain.clang = true;
  toolchain.prefix = installation_prefix();
  const std::string wanted = language == Language::c ? "clang-19" : "clang++-19";
  if (toolchain.compiler.empty()) {
    toolchain.compiler = {wanted};
    if (!can_be_run({wanted, "--version"}))
      throw UserError(wanted + ": cannot be run, and --bitcode takes it; install the package clang-19");
    return toolchain;
  }
  const std::string version = version_of(toolchain.compiler, language);
  if (version.find("clang version 19.") == std::string::npos) {
    throw UserError("--bitcode: takes clang 19, and " + std::string(variable_of(language)) + " names " +
                    version.substr(0, version.find('\n')) + "; name " + wanted + " in it, or unset it");
  }
  return toolchain;
}

Command driver_command(const Toolchain& toolchain, const std::vector<std::string>& arguments) {
  // The flags in response files count, too; the compiler gets the response file itself.
  std::vector<std::string> words = expand_response_files(arguments);
  refuse_unsuitable(words);
  Request request = understand(words);
  Command command = toolchain.compiler;
  auto append = [&](const std::vector<std::string>& more) {
    command.insert(command.end(), more.begin(), more.end());
  };
  // They precede the user's flags, which may overrule them.
  if (request.compiles) append(compile_flags(toolchain));
  if (request.compiles && counts_runs(words)) append(counter_flags(toolchain));
  if (request.compiles) append(keeping_flags(toolchain, words));
  if (request.links) append(link_flags(toolchain));
  append(arguments);
  return command;
}

std::optional<Command> archiver_command(const std::string& name, const Toolchain& toolchain,
                                        const std::vector<std::string>& arguments) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  std::string archiver = name.substr(kPrefix.size());
  if (std::find(kArchivers.begin(), kArchivers.end(), archiver) == kArchivers.end()) return std::nullopt;
  // The name of the compiler, perhaps after ccache, also tells which of several archivers belongs to it:
  // x86_64-linux-gnu-gcc-ar-12 belongs to x86_64-linux-gnu-g++-12.
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
