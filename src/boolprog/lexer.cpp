// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "boolprog/lexer.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace thrum::bp {

namespace {

constexpr std::array<std::string_view, 33> kKeywords = {
    "decl", "begin",  "end",     "void", "bool",  "dfs",          "enforce",    "abortif",      "skip",
    "goto", "assume", "assert",  "if",   "then",  "elsif",        "else",       "fi",           "while",
    "do",   "od",     "return",  "dead", "print", "start_thread", "end_thread", "atomic_begin", "atomic_end",
    "wait", "T",      "schoose", "F",    "sync",  "broadcast"};

// Longer symbols come before their own prefixes.
constexpr std::array<std::string_view, 24> kSymbols = {":=", "=>", "!=", "<>", ":", ";", ",", "(",
                                                       ")",  "<",  ">",  "*",  "!", "~", "=", "&",
                                                       "^",  "|",  "?",  "[",  "]", "'", "{", "}"};

bool begins_identifier(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool goes_on(char c) { return begins_identifier(c) || is_digit(c) || c == '$' || c == '.'; }

// The character as text; a byte that is not printable as a number.
std::string shown(char c) {
  auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20 && byte < 0x7f) return std::string("'") + c + "'";
  constexpr char kDigits[] = "0123456789abcdef";
  return std::string("byte 0x") + kDigits[byte >> 4U] + kDigits[byte & 0xfU];
}

class Lexer {
 public:
  explicit Lexer(const std::string& text) : text_(text) {}

  std::vector<Token> all() {
    std::vector<Token> tokens;
    for (skip_space(); at_ < text_.size(); skip_space()) tokens.push_back(next());
    tokens.push_back({Token::Kind::end, "the end of the file", where_});
    return tokens;
  }

 private:
  void step() {
    if (text_[at_++] == '\n') {
      ++where_.line;
      where_.column = 1;
    } else {
      ++where_.column;
    }
  }

  void skip_space() {
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
        step();
      } else if (text_.compare(at_, 2, "//") == 0) {
        while (at_ < text_.size() && text_[at_] != '\n') step();
      } else {
        return;
      }
    }
  }

  Token next() {
    Token token{Token::Kind::symbol, {}, where_};
    char first = text_[at_];
    if (begins_identifier(first) || is_digit(first)) {
      bool number = is_digit(first);
      std::size_t begin = at_;
      while (at_ < text_.size() && (number ? is_digit(text_[at_]) : goes_on(text_[at_]))) step();
      token.text = text_.substr(begin, at_ - begin);
      bool keyword = std::find(kKeywords.begin(), kKeywords.end(), token.text) != kKeywords.end();
      token.kind = number ? Token::Kind::number : keyword ? Token::Kind::keyword : Token::Kind::identifier;
      return token;
    }
    for (std::string_view symbol : kSymbols) {
      if (text_.compare(at_, symbol.size(), symbol) != 0) continue;
      token.text = symbol;
      for (std::size_t i = 0; i < symbol.size(); ++i) step();
      return token;
    }
    throw InputError(where_, shown(first) + " begins no word of a boolean program");
  }

  const std::string& text_;
  std::size_t at_ = 0;
  Position where_;
};

}  // namespace

std::vector<Token> split(const std::string& text) { return Lexer(text).all(); }

}  // namespace thrum::bp
