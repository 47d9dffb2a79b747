// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/bitcode_driver.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>

#include "bitcode_section/records.hpp"
#include "cli/driver.hpp"
#include "cli/temporary_folder.hpp"
#include "verdict/error.hpp"

namespace thrum {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* kVariable = "THRUM_BITCODE";
constexpr const char* kFlag = "--bitcode";
constexpr const char* kNoVectors[] = {"-fno-vectorize", "-fno-slp-vectorize"};
constexpr const char* kObjcopy = "llvm-objcopy-19";

// The user's options may be of no use to a step of ours.
constexpr const char* kQuiet = "--start-no-unused-arguments";
constexpr const char* kQuietEnd = "--end-no-unused-arguments";

void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

bool begins_with_one_of(const std::string& word, std::span<const std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view one) { return word.starts_with(one); });
}

bool is_of_back_end(const std::string& word) {
  constexpr std::array<std::string_view, 12> kTaken = {"-O",
                                                       "-f",
                                                       "-m",
                                                       "-g",
                                                       "-W",
                                                       "-w",
                                                       "-target",
                                                       "--target=",
                                                       "-Xassembler",
                                                       "--for-assembler",
                                                       "-integrated-as",
                                                       "-no-integrated-as"};
  // What instruments or counts has been done when the bitcode is written, or belongs to the preprocessor, the
  // linker or the front end. All debug information stays in the object, next to the bitcode.
  constexpr std::array<std::string_view, 20> kLeft = {"-fsanitize",
                                                      "-fno-sanitize",
                                                      "-fprofile",
                                                      "-fcs-profile",
                                                      "-fcoverage",
                                                      "-ftest-coverage",
                                                      "-fsyntax-only",
                                                      "-fplugin",
                                                      "-fpass-plugin",
                                                      "-fmodule",
                                                      "-fprebuilt",
                                                      "-fbuiltin-module",
                                                      "-fimplicit-module",
                                                      "-ftime-trace",
                                                      "-fsave-optimization-record",
                                                      "-fopenmp",
                                                      "-fembed-bitcode",
                                                      "-gsplit-dwarf",
                                                      "-Wl,",
                                                      "-Wp,"};
  return begins_with_one_of(word, kTaken) && !begins_with_one_of(word, kLeft);
}

// The options of the words, without inputs and outputs.
Words options_of(const Words& words, const Request& request) {
  Words options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (request.roles[i] == WordRole::option) options.push_back(words[i]);
  }
  return options;
}

bool has(const Words& words, std::string_view word) { return std::ranges::find(words, word) != words.end(); }

bool has_joined_or_not(const Words& words, std::string_view option) {
  return std::ranges::any_of(words, [&](const std::string& word) { return word.starts_with(option); });
}

bool names_targets(const Words& words) {
  return has_joined_or_not(words, "-MT") || has_joined_or_not(words, "-MQ");
}

// Whether Clang names files after the object.
bool derives_names(const Words& words) {
  const bool depends = has(words, "-MD") || has(words, "-MMD") || has(words, "--write-dependencies") ||
                       has(words, "--write-user-dependencies") || has_joined_or_not(words, "-Wp,-M");
  const bool is_all_said = has_joined_or_not(words, "-MF") && names_targets(words);
  return (depends && !is_all_said) || counts_runs(words);
}

void refuse_with_bitcode(const Words& words) {
  std::string lto;
  for (const std::string& word : words) {
    if (word == "-flto" || word.starts_with("-flto=")) lto = word;
    if (word == "-fno-lto") lto.clear();
  }
  if (!lto.empty())
    throw UserError(lto +
                    ": does not go together with --bitcode, which needs each object whole; leave it out");
}

void tell_of_bitcode_flags() {
  fmt::print(stderr, "thrum: --bitcode adds {} {}: the machine runs no vector code\n", kNoVectors[0],
             kNoVectors[1]);
}

std::string find_objcopy(const Toolchain& toolchain) {
  std::istringstream folders(std::getenv("PATH") ? std::getenv("PATH") : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string path = (folder.empty() ? "." : folder) + "/" + kObjcopy;
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  Command ask = toolchain.compiler;
  ask.emplace_back("-print-prog-name=llvm-objcopy");
  const std::string answer = output_of(ask).value_or("");
  const std::string path = answer.substr(0, answer.find('\n'));
  if (path.starts_with('/') && access(path.c_str(), X_OK) == 0) return path;
  throw UserError(std::string(kObjcopy) + ": not found, and --bitcode takes it; install the package llvm-19");
}

// Words of such a length are passed in a file.
constexpr std::size_t kCommandMax = 100'000;

void write_all_of(const std::string& path, std::string_view first, std::string_view second) {
  std::ofstream out(path, std::ios::binary);
  out.write(first.data(), static_cast<std::streamsize>(first.size()));
  out.write(second.data(), static_cast<std::streamsize>(second.size()));
  out.close();
  if (!out) throw UserError(path + ": cannot be written: " + std::strerror(errno));
}

class BitcodeCompilation {
 public:
  BitcodeCompilation(const Toolchain& toolchain, const Words& words)
      : toolchain_(toolchain),
        words_(words),
        request_(understand(words)),
        options_(options_of(words, request_)),
        objcopy_(find_objcopy(toolchain)) {
    if (derives_names(options_)) ask_for_names();
  }

  int run() { return request_.product == Product::objects ? make_objects() : make_program(); }

 private:
  int make_objects();
  int make_program();
  int make_object(const Input& input, const std::string& object);
  int make_carrying_object(const Input& input, const std::string& object);
  void ask_for_names();
  Words options_for(const Input& input) const;
  int run_step(const Command& command);
  // A path in the temporary folder that is used once.
  std::string temporary(const std::string& ending) {
    return fmt::format("{}/{}{}", folder_.path(), ++files_, ending);
  }

  const Toolchain& toolchain_;
  const Words& words_;
  Request request_;
  Words options_;
  std::string objcopy_;
  std::vector<DerivedNames> names_;
  TemporaryFolder folder_;
  int files_ = 0;
};

bool is_compiled(const Input& input) {
  return input.kind == Input::Kind::source || input.kind == Input::Kind::assembler;
}

// A name that begins like an option.
std::string as_word(const Input& input) {
  return input.file.starts_with('-') && input.file != "-" ? "./" + input.file : input.file;
}

void BitcodeCompilation::ask_for_names() {
  Words ask = words_;
  ask.insert(ask.begin(), "-###");
  names_ = derived_names(output_of(driver_command(toolchain_, ask)).value_or(""), options_);
}

Words BitcodeCompilation::options_for(const Input& input) const {
  Words all = {kQuiet};
  append(all, options_);
  const auto same = [&](const DerivedNames& one) { return one.source == input.file; };
  if (auto names = std::ranges::find_if(names_, same); names != names_.end()) append(all, names->options);
  return all;
}

int BitcodeCompilation::run_step(const Command& command) {
  std::size_t length = 0;
  for (const std::string& word : command) length += word.size() + 1;
  const int code = [&] {
    if (length < kCommandMax) return thrum::run(command);
    // The compiler itself may be of several words, such as ccache and its own.
    const auto own = command.begin() + static_cast<std::ptrdiff_t>(toolchain_.compiler.size());
    const std::string file = temporary(".options");
    std::string text;
    for (auto word = own; word != command.end(); ++word) {
      text += '"';
      for (char c : *word) text += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
      text += "\"\n";
    }
    write_all_of(file, text, "");
    Command with_file(command.begin(), own);
    with_file.push_back("@" + file);
    return thrum::run(with_file);
  }();
  const int signal = SignalRelay::signal();
  return signal != 0 ? 128 + signal : code;
}

int BitcodeCompilation::make_object(const Input& input, const std::string& object) {
  if (input.kind == Input::Kind::source) return make_carrying_object(input, object);
  Words arguments = options_for(input);
  append(arguments, {kQuietEnd, "-c", "-o", object});
  if (!input.language.empty()) append(arguments, {"-x", input.language});
  arguments.push_back(as_word(input));
  return run_step(driver_command(toolchain_, arguments));
}

int BitcodeCompilation::make_carrying_object(const Input& input, const std::string& object) {
  const std::string bitcode = temporary(".bc");
  const std::string bare = temporary(".o");
  const std::string record = temporary(".record");

  Words arguments = options_for(input);
  append(arguments, {std::begin(kNoVectors), std::end(kNoVectors)});
  append(arguments, {kQuietEnd, "-emit-llvm", "-c", "-o", bitcode});
  if (!input.language.empty()) append(arguments, {"-x", input.language});
  arguments.push_back(as_word(input));
  if (int code = run_step(driver_command(toolchain_, arguments)); code != 0) return code;

  Command translate = toolchain_.compiler;
  append(translate, {"-g", "-Xclang", "-disable-llvm-passes", kQuiet});
  // As compile_flags() has it for code that is translated at once.
  append(translate, {"-mllvm", "-enable-tail-merge=0"});
  append(translate, back_end_options(options_));
  append(translate, {kQuietEnd, "-c", bitcode, "-o", bare});
  if (int code = run_step(translate); code != 0) return code;

  std::ifstream in(bitcode, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  write_all_of(record, bitcode_record_head(input.file, bytes.size()), bytes);
  const std::string section = kBitcodeSection;
  return run_step({objcopy_, "--add-section", section + "=" + record, "--set-section-flags",
                   section + "=noload,readonly", bare, object});
}

// As Clang, all are compiled, also behind one that fails. What an earlier command left in place of an object
// that could not be made is removed.
int BitcodeCompilation::make_objects() {
  int result = 0;
  for (const Input& input : request_.inputs) {
    if (!is_compiled(input)) continue;
    std::string object = request_.output;
    if (object.empty()) object = fs::path(input.file).filename().replace_extension(".o").string();
    const int code = make_object(input, object);
    std::error_code ignored;
    if (code != 0 && fs::is_regular_file(object, ignored)) fs::remove(object, ignored);
    if (result == 0) result = code;
    if (SignalRelay::signal() != 0) break;
  }
  return result;
}

int BitcodeCompilation::make_program() {
  Words arguments = {kQuiet};
  auto input = request_.inputs.begin();
  for (std::size_t i = 0; i < words_.size(); ++i) {
    switch (request_.roles[i]) {
      case WordRole::language:
      case WordRole::object_only:
      case WordRole::end_of_options: break;
      case WordRole::option:
      case WordRole::output:
      case WordRole::linked: arguments.push_back(words_[i]); break;
      case WordRole::input: {
        const Input& next = *input++;
        std::string object = as_word(next);
        if (is_compiled(next)) {
          object = temporary("-" + fs::path(next.file).stem().string() + ".o");
          if (int code = make_object(next, object); code != 0) return code;
        }
        arguments.push_back(object);
      }
    }
  }
  arguments.emplace_back(kQuietEnd);
  return run_step(driver_command(toolchain_, arguments));
}

}  // namespace

bool environment_asks_for_bitcode() {
  const char* set = std::getenv(kVariable);
  const std::string_view value = set ? set : "";
  if (value.empty() || value == "0") return false;
  if (value == "1") return true;
  throw UserError(fmt::format("{}: is {}; it takes 0 or 1", kVariable, value));
}

bool asks_for_bitcode(Words& words) {
  bool asked = environment_asks_for_bitcode();
  for (auto word = words.begin(); word != words.end();) {
    if (*word == kFlag) {
      asked = true;
      word = words.erase(word);
    } else {
      // What follows is the option's, whatever it is.
      word += takes_word(*word) && word + 1 != words.end() ? 2 : 1;
    }
  }
  return asked;
}

bool makes_bitcode(const Words& words) {
  const Request request = understand(words);
  const auto count = [&](Input::Kind kind) { return std::ranges::count(request.inputs, kind, &Input::kind); };
  // Several objects with one name, and headers among them: the compiler says what is wrong.
  const auto compiled = count(Input::Kind::source) + count(Input::Kind::assembler);
  const bool is_clear = request.product != Product::objects || request.output.empty() || compiled == 1;
  return request.product != Product::other && count(Input::Kind::source) > 0 &&
         count(Input::Kind::header) == 0 && is_clear;
}

Words back_end_options(const Words& words) {
  Words options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool has_two = takes_word(words[i]) && i + 1 < words.size();
    if (is_of_back_end(words[i]))
      append(options, {words.begin() + static_cast<std::ptrdiff_t>(i),
                       words.begin() + static_cast<std::ptrdiff_t>(i + (has_two ? 2 : 1))});
    if (has_two) ++i;
  }
  return options;
}

std::vector<DerivedNames> derived_names(const std::string& listing, const Words& words) {
  const bool has_targets = names_targets(words);
  std::vector<DerivedNames> all;
  std::istringstream lines(listing);
  for (std::string line; std::getline(lines, line);) {
    const Words command = split_words(line);
    if (command.size() < 2 || command[1] != "-cc1") continue;
    DerivedNames names{command.back(), {}};
    for (std::size_t i = 0; i + 1 < command.size(); ++i) {
      if (command[i] == "-dependency-file") append(names.options, {"-MF", command[i + 1]});
      // Quoted for make already.
      if (command[i] == "-MT" && !has_targets) append(names.options, {"-MT", command[i + 1]});
      if (command[i].starts_with("-coverage-notes-file=") || command[i].starts_with("-coverage-data-file="))
        append(names.options, {"-Xclang", command[i]});
    }
    all.push_back(std::move(names));
  }
  return all;
}

int compile_with_bitcode(const Toolchain& toolchain, const Words& words, bool tells) {
  refuse_unsuitable(words);
  refuse_with_bitcode(words);
  BitcodeCompilation compilation(toolchain, words);
  if (tells) tell_of_bitcode_flags();
  return compilation.run();
}

}  // namespace thrum
