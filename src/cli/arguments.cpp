// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by arguments_test.cpp.
#include "cli/arguments.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string_view>

#include "cli/process.hpp"
#include "verdict/error.hpp"

namespace thrum {

namespace {

namespace fs = std::filesystem;

constexpr int kNestingMax = 32;

// A list of words, each between two spaces.
using WordList = std::string_view;

// Options whose argument is the next word. That word is no input.
constexpr WordList kTakesWord =
    " -o -x -I -L -D -U -A -B -T -u -z -e -h -G -include -imacros -isystem -iquote -idirafter -iprefix"
    " -isysroot -iwithprefix -iwithprefixbefore -imultilib -MF -MT -MQ -MJ -Xlinker -Xclang -Xassembler"
    " -Xpreprocessor -mllvm --param -target -arch -aux-info -wrapper -specs --specs -dumpbase -dumpbase-ext"
    " -dumpdir -include-pch -cxx-isystem -iframework -framework -ivfsoverlay -isystem-after -stdlib++-isystem"
    " -serialize-diagnostics --serialize-diagnostics --sysroot --output --language --include"
    " --include-directory --library-directory --define-macro --undefine-macro --entry --prefix --assert"
    " --config --for-linker --for-assembler ";
constexpr WordList kEndsWithObjects = " -c --compile ";
constexpr WordList kEndsWithOther =
    " -S -E -M -MM -fsyntax-only --assemble --preprocess --precompile -emit-ast -emit-llvm --analyze -### ";
constexpr WordList kStopsBeforeLink =
    " -c -S -E -M -MM -fsyntax-only -r --compile --assemble --preprocess --precompile -emit-ast ";
constexpr WordList kNamesOutput = " -o --output ";
constexpr WordList kNamesLanguage = " -x --language ";
constexpr WordList kOfLinker = " -l -Xlinker --for-linker ";
constexpr WordList kAssemblerEndings = " .s .S .sx ";
// Every other file goes to the linker.
constexpr WordList kSourceEndings =
    " .c .i .ii .m .mi .mm .M .mii .cc .cp .cxx .cpp .CPP .c++ .C .s .S .sx .f .for .ftn .F .f90 .F90 .f95"
    " .f03 .f08 .d .go .ll .cppm .ixx .ccm .cxxm .c++m .pcm ";
// Compiled by themselves, they become precompiled headers.
constexpr WordList kHeaderEndings = " .h .hh .H .hp .hxx .hpp .HPP .h++ .tcc ";

// Sanitizers whose runtimes replace Thrum's instrumentation or its heap.
constexpr WordList kOtherSanitizers =
    " address kernel-address hwaddress kernel-hwaddress memory kernel-memory leak dataflow safe-stack"
    " shadow-call-stack fuzzer fuzzer-no-link memtag memtag-stack memtag-heap numerical realtime type cfi"
    " kcfi ";

bool contains(WordList list, std::string_view word) {
  return !word.empty() && list.find(" " + std::string(word) + " ") != WordList::npos;
}

std::string ending(const std::string& file) { return fs::path(file).extension().string(); }

void expand(const std::vector<std::string>& arguments, int depth, std::vector<std::string>& expanded) {
  for (const std::string& word : arguments) {
    std::string file = word.starts_with('@') ? word.substr(1) : "";
    std::error_code ignored;
    std::ifstream in;
    if (!file.empty() && depth < kNestingMax && !fs::is_directory(file, ignored)) in.open(file);
    if (!in.is_open()) {
      expanded.push_back(word);
      continue;
    }
    std::string text(std::istreambuf_iterator<char>(in), {});
    expand(split_words(text, Quoting::response_file), depth + 1, expanded);
  }
}

// Whether an option of the linker names a file. parts: the text after -Wl, with commas in it.
bool brings_file(std::string_view parts) {
  while (!parts.empty()) {
    std::string_view part = parts.substr(0, parts.find(','));
    parts.remove_prefix(std::min(parts.size(), part.size() + 1));
    for (std::string_view end : {".o", ".a", ".lo", ".so"}) {
      if (!part.starts_with('-') && part.ends_with(end)) return true;
    }
    if (part.starts_with("-l")) return true;
  }
  return false;
}

// Reads the arguments one by one: which of them are inputs, and in which language.
class Reader {
 public:
  explicit Reader(const std::vector<std::string>& words) : words_(words) {}

  Request read() {
    request_.roles.assign(words_.size(), WordRole::option);
    for (position_ = 0; position_ < words_.size(); ++position_) {
      const std::string& word = words_[position_];
      if (only_inputs_ || word == "-" || !word.starts_with('-')) {
        input(word);
      } else {
        option(word);
      }
    }
    request_.links = to_link_ && !stops_;
    return std::move(request_);
  }

 private:
  void option(const std::string& word) {
    const std::size_t first = position_;
    std::string next = position_ + 1 < words_.size() ? words_[position_ + 1] : "";
    note_product(word);
    const WordRole role = role_of(word);
    if (word == "-x" || word == "--language") {
      language(next);
    } else if (word.starts_with("-x")) {
      language(word.substr(2));
    } else if (word.starts_with("--language=")) {
      language(word.substr(11));
    } else if (word.starts_with("-Wl,")) {
      if (brings_file(word.substr(4))) to_link_ = true;
    } else if (word == "-Xlinker") {
      if (brings_file(next)) to_link_ = true;
    } else if (word.starts_with("-l")) {
      to_link_ = true;
      if (word == "-l") ++position_;
    } else if (role == WordRole::output) {
      output(word, next);
    }
    if (contains(kTakesWord, word)) ++position_;
    for (std::size_t i = first; i <= position_ && i < words_.size(); ++i) request_.roles[i] = role;
  }

  void note_product(const std::string& word) {
    if (contains(kStopsBeforeLink, word)) stops_ = true;
    if (contains(kEndsWithOther, word)) request_.product = Product::other;
    if (contains(kEndsWithObjects, word) && request_.product == Product::program)
      request_.product = Product::objects;
  }

  WordRole role_of(const std::string& word) {
    if (word == "--") {
      only_inputs_ = true;
      return WordRole::end_of_options;
    }
    if (contains(kEndsWithObjects, word)) return WordRole::object_only;
    if (contains(kNamesLanguage, word) || word.starts_with("-x") || word.starts_with("--language="))
      return WordRole::language;
    if (contains(kOfLinker, word) || word.starts_with("-l") || word.starts_with("-Wl,"))
      return WordRole::linked;
    const bool is_joined = word.starts_with("-o") && !word.starts_with("-obj");
    if (contains(kNamesOutput, word) || is_joined || word.starts_with("--output=")) return WordRole::output;
    return WordRole::option;
  }

  void output(const std::string& word, const std::string& next) {
    constexpr std::string_view kLong = "--output=";
    request_.output = contains(kNamesOutput, word) ? next
                      : word.starts_with(kLong)    ? word.substr(kLong.size())
                                                   : word.substr(2);
  }

  void language(const std::string& name) { language_ = name == "none" ? "" : name; }

  void input(const std::string& file) {
    bool header = language_.empty() ? contains(kHeaderEndings, ending(file))
                                    : language_.ends_with("-header") || language_.ends_with("-header-unit");
    bool source = header || !language_.empty() || file == "-" || contains(kSourceEndings, ending(file));
    bool assembler =
        language_.empty() ? contains(kAssemblerEndings, ending(file)) : language_.starts_with("assembler");
    if (source) request_.compiles = true;
    if (!header) to_link_ = true;
    request_.roles[position_] = WordRole::input;
    request_.inputs.push_back({position_, file, language_,
                               header      ? Input::Kind::header
                               : assembler ? Input::Kind::assembler
                               : source    ? Input::Kind::source
                                           : Input::Kind::linked});
  }

  const std::vector<std::string>& words_;
  Request request_;
  std::size_t position_ = 0;
  std::string language_;  // of the inputs that follow; empty: their file names tell it
  bool only_inputs_ = false;
  bool to_link_ = false;  // there is an input for the linker, unless the compiler stops before it
  bool stops_ = false;
};

// Calls visit(name) for each name of a list with commas.
template <typename Visit>
void for_each_name(std::string_view list, Visit visit) {
  while (!list.empty()) {
    std::string_view name = list.substr(0, list.find(','));
    visit(name);
    list.remove_prefix(std::min(list.size(), name.size() + 1));
  }
}

}  // namespace

std::vector<std::string> expand_response_files(const std::vector<std::string>& arguments) {
  std::vector<std::string> expanded;
  expand(arguments, 0, expanded);
  return expanded;
}

Request understand(const std::vector<std::string>& arguments) { return Reader(arguments).read(); }

bool takes_word(const std::string& option) { return contains(kTakesWord, option); }

void refuse_unsuitable(const std::vector<std::string>& arguments) {
  constexpr std::string_view kOn = "-fsanitize=";
  constexpr std::string_view kOff = "-fno-sanitize=";
  // The other sanitizers that the arguments switch on, each with the word that did so; and the word that
  // switches the thread sanitizer off.
  std::map<std::string, std::string, std::less<>> others;
  std::string off;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "-static" || word == "--static" || word == "-static-pie") {
      throw UserError(word +
                      ": a fully static program cannot be checked; leave it out (-static-libstdc++ works)");
    }
    if (word == "-m32" || word == "-mx32") {
      throw UserError(word + ": only programs for 64-bit x86 can be checked; leave it out");
    }
    if (word.starts_with(kOn)) {
      for_each_name(std::string_view(word).substr(kOn.size()), [&](std::string_view name) {
        if (contains(kOtherSanitizers, name)) others.emplace(name, word);
        if (name == "thread") off.clear();
      });
    } else if (word.starts_with(kOff)) {
      for_each_name(std::string_view(word).substr(kOff.size()), [&](std::string_view name) {
        if (name == "all") others.clear();
        if (name == "all" || name == "thread") off = word;
        if (auto found = others.find(name); found != others.end()) others.erase(found);
      });
    }
    if (contains(kTakesWord, word)) ++i;
  }
  if (!off.empty() && understand(arguments).compiles) {
    throw UserError(off + ": what is not instrumented is not checked; leave it out");
  }
  if (others.empty()) return;
  throw UserError(others.begin()->second +
                  ": does not go together with Thrum's own instrumentation; leave it out");
}

}  // namespace thrum
