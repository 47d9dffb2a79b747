// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running other programs, such as a compiler, and waiting for them.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace thrum {

using Command = std::vector<std::string>;

// Replaces this process by the program, which is found as by a shell. Returns only if that fails.
void become(const Command& command);

// Runs the program with our standard input, output and error. Returns its exit code; if a signal ended it,
// 128 plus the signal's number.
int run(const Command& command);

// The standard output and error of the program; nothing if it cannot be run.
std::optional<std::string> output_of(const Command& command);

enum class Quoting {
  shell,          // within '…' a backslash is one
  response_file,  // of a compiler (libiberty's buildargv, which clang follows): it quotes there, too
};

// The words of a text, separated by white space.
std::vector<std::string> split_words(const std::string& text, Quoting quoting = Quoting::shell);

}  // namespace thrum
