// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C with finite data becomes a boolean program. docs/boolean-programs.md says which C that is.
//
// A boolean program's statement is one step of a thread; in C another thread may come between any two
// accesses of shared variables. So each read of a global becomes a statement of its own, that copies all of
// its bits into locals; what is computed then reads locals only; and each write of a global is one assignment
// to all of its bits. `g = g + h` becomes: t := g; u := h; g := t + u.
//
// Integers have the width of their types in C, but not more than Options::bits, and wrap around. That is the
// one departure from C; a constant that does not fit is refused. Out-of-range indices and divisions by zero,
// where C leaves anything open, become assertions that fail. Memory is sequentially consistent.
//
// Tested by translate_test.cpp (by what bp::check says of the translations) and refusal_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "boolprog/syntax.hpp"
#include "cprogram/source_error.hpp"

namespace thrum::cprogram {

inline constexpr unsigned kBitsDefault = 8;

struct Options {
  unsigned bits = kBitsDefault;  // 2 to 64
  std::vector<std::string> include_folders{};
};

// path: for messages, and for what the file includes. Positions in the program are those in the C file.
// Throws SourceError for what is not supported.
bp::Program translate(const std::string& path, const std::string& text, const Options& options);

// A boolean program's text, with a comment that says where it comes from and what departs from C.
std::string to_text(const bp::Program& program, const std::string& path, const Options& options);

}  // namespace thrum::cprogram
