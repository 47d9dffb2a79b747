// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running other programs, such as a compiler, and waiting for them.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace thrum {

using Command = std::vector<std::string>;

// Becomes the program, found as a shell would. Returns only where that fails.
void become(const Command& command);

// The exit code (128 and the signal's number where a signal ended it). The program has our standard input,
// output and error.
int run(const Command& command);

// What the program writes to its standard output and error; nothing where it cannot be run.
std::optional<std::string> output_of(const Command& command);

enum class Quoting {
  shell,          // within '…' a backslash is one
  response_file,  // of a compiler (libiberty's buildargv, which clang follows): it quotes there, too
};

// The words of a text, separated by white space.
std::vector<std::string> split_words(const std::string& text, Quoting quoting = Quoting::shell);

}  // namespace thrum
