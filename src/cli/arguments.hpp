// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a compiler's arguments ask it to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace thrum {

// What a word is. The value of an option, in a word of its own, is what the option is.
enum class WordRole : std::uint8_t {
  option,       // of any kind but these
  input,        // a file
  output,       // -o and the file
  language,     // -x and the language
  object_only,  // -c
  linked,       // an option that counts as an input of the linker: -lfoo, -Wl,…
  end_of_options,
};

struct Input {
  enum class Kind : std::uint8_t { source, assembler, header, linked };
  std::size_t word = 0;  // its place among the arguments
  std::string file;
  std::string language;  // as -x gave it; empty: the file's name tells it
  Kind kind = Kind::linked;
};

// What the compiler ends with.
enum class Product : std::uint8_t {
  program,  // or a shared library, or with -r one object of several
  objects,  // -c
  other,    // -E, -S, -M, -fsyntax-only …
};

struct Request {
  bool compiles = false;  // or preprocesses, or assembles
  bool links = false;     // a program or a shared library
  Product product = Product::program;
  std::vector<WordRole> roles;  // of the arguments
  std::vector<Input> inputs;
  std::string output;  // of -o; empty: not given
};

// The arguments with each response file (@FILE) replaced by its words, as the compilers do it: words are
// separated by white space; single or double quotes hold a word together; a backslash takes the next
// character as it is. A file that cannot be read is left as a word, and so is one that is nested too deep.
std::vector<std::string> expand_response_files(const std::vector<std::string>& arguments);

// Understands the arguments of gcc and clang, response files replaced.
Request understand(const std::vector<std::string>& arguments);

// Whether the option's value is the next word.
bool takes_word(const std::string& option);

// Throws UserError for flags that do not work with Thrum, such as -static. REQUIRES: response files are
// replaced.
void refuse_unsuitable(const std::vector<std::string>& arguments);

}  // namespace thrum
