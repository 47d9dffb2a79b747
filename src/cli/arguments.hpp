// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a compiler's arguments ask it to do.
#pragma once

#include <string>
#include <vector>

namespace thrum {

struct Request {
  bool compiles = false;  // or preprocesses, or assembles
  bool links = false;     // a program or a shared library
};

// The arguments with each response file (@FILE) replaced by its words, as the compilers do it: words are
// separated by white space; single or double quotes hold a word together; a backslash takes the next
// character as it is. A file that cannot be read is left as a word, and so is one that is nested too deep.
std::vector<std::string> expand_response_files(const std::vector<std::string>& arguments);

// Understands the arguments of gcc and clang, response files replaced.
Request understand(const std::vector<std::string>& arguments);

// Throws UserError for flags that do not work with Thrum, such as -static. REQUIRES: response files are
// replaced.
void refuse_unsuitable(const std::vector<std::string>& arguments);

}  // namespace thrum
