// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the functions of a C or C++ file and how long they are.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tidy {

struct Function {
  std::string name;
  std::size_t line = 0;    // 1-based, of its opening brace
  std::size_t length = 0;  // lines from the opening brace to the closing one, both included
};

// `code` is Split::code. Only outermost functions are listed: a lambda inside one counts as part of it.
std::vector<Function> find_functions(const std::vector<std::string>& code);

}  // namespace tidy
