// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A brace opens a function if, outside any other function, the text before it (back to the last `;` or
// brace) holds a closing parenthesis, is no head of a class, and does not go on to want a value:
//
//     struct Foo : Bar {            a class: no parenthesis
//     int kTable[f(3)] = {          a value: ends in `=`
//     Foo::Foo() : a_{1} {          a function; its `{1}` is known by the comma or brace that follows
//
// That is not C++'s grammar, but it holds for code that clang-format has laid out, and a real parser would
// be a heavy dependency for one rule. Tested by tidy_test.cpp.
#include "tidy/functions.hpp"

#include <cctype>
#include <regex>

namespace tidy {
namespace {

bool opens_function(const std::string& head) {
  static const std::regex kAttributes(R"(alignas\s*\([^)]*\)|__attribute__\s*\(\(.*?\)\)|\[\[.*?\]\])");
  static const std::regex kClass(R"(\b(class|struct|union|enum|namespace)\b)");
  std::string text = std::regex_replace(head, kAttributes, "");
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  if (text.find(')') == std::string::npos) return false;
  if (std::string("=,({").find(text.back()) != std::string::npos) return false;
  return text.find('(') != std::string::npos || !std::regex_search(text, kClass);
}

// The identifier before the first parenthesis; of a GoogleTest macro, what stands inside.
std::string function_name(const std::string& head) {
  static const std::regex kTest(R"(\bTEST(?:_F|_P)?\s*\(\s*(\w+)\s*,\s*(\w+)\s*\))");
  static const std::regex kName(R"((operator\W+?|[\w:~]+)\s*\()");
  std::smatch match;
  if (std::regex_search(head, match, kTest)) return match.str(1) + "." + match.str(2);
  return std::regex_search(head, match, kName) ? match.str(1) : "lambda";
}

class Scanner {
 public:
  std::vector<Function> run(const std::vector<std::string>& code) {
    for (line_ = 1; line_ <= code.size(); ++line_) {
      const std::string& text = code[line_ - 1];
      if (is_directive(text)) continue;
      for (char c : text) step(c);
      head_ += ' ';
    }
    return functions_;
  }

 private:
  struct Brace {
    std::string head;
    std::size_t line;
    bool is_function;
  };

  // A directive goes on over backslashes.
  bool is_directive(const std::string& text) {
    std::size_t first = text.find_first_not_of(" \t");
    bool is = in_directive_ || (first != std::string::npos && text[first] == '#');
    in_directive_ = is && text.ends_with('\\');
    return is;
  }

  void step(char c) {
    bool goes_on = closed_ && (c == ',' || c == '{' || c == ')');
    if (!std::isspace(static_cast<unsigned char>(c))) {
      // What follows a brace tells whether it ended a statement or was a value inside one.
      if (goes_on) head_ = closed_head_ + "{}" + head_;
      closed_ = false;
    }
    if (c == '{') return open();
    if (c == '}') return close();
    head_ += c;
    if (c == ';') head_.clear();
  }

  void open() {
    bool is_function = depth_of_function_ == 0 && opens_function(head_);
    if (is_function || depth_of_function_ > 0) ++depth_of_function_;
    braces_.push_back({head_, line_, is_function});
    head_.clear();
  }

  void close() {
    if (braces_.empty()) return;
    Brace brace = braces_.back();
    braces_.pop_back();
    if (depth_of_function_ > 0) --depth_of_function_;
    if (brace.is_function)
      functions_.push_back({function_name(brace.head), brace.line, line_ - brace.line + 1});
    closed_ = true;
    closed_head_ = brace.head;
    head_.clear();
  }

  std::size_t line_ = 1;
  std::string head_;  // the text since the last `;` or brace
  std::vector<Brace> braces_;
  std::size_t depth_of_function_ = 0;
  bool closed_ = false;  // a brace has just been closed, and nothing but space has followed
  std::string closed_head_;
  bool in_directive_ = false;
  std::vector<Function> functions_;
};

}  // namespace

std::vector<Function> find_functions(const std::vector<std::string>& code) { return Scanner().run(code); }

}  // namespace tidy
