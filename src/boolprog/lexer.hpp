// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splits the text of a boolean program into tokens. `//` begins a comment.
#pragma once

#include <string>
#include <vector>

#include "boolprog/syntax.hpp"

namespace thrum::bp {

struct Token {
  enum class Kind : std::uint8_t { identifier, keyword, number, symbol, end };
  Kind kind = Kind::end;
  std::string text{};
  Position where{};
};

// The last token is of kind `end`. Throws InputError at a character that begins no token.
std::vector<Token> split(const std::string& text);

}  // namespace thrum::bp
