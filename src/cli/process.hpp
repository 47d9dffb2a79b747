// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running other programs, such as a compiler, and waiting for them.
#pragma once

#include <array>
#include <csignal>
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

// While it lives, SIGINT, SIGTERM and SIGHUP to this process are kept, and passed on to the program that
// run() waits for. Those that were ignored stay ignored. There is one at a time.
class SignalRelay {
 public:
  SignalRelay();
  ~SignalRelay();
  SignalRelay(const SignalRelay&) = delete;
  SignalRelay& operator=(const SignalRelay&) = delete;

  // The first that came; 0: none.
  static int signal();

 private:
  std::array<struct sigaction, 3> before_{};
};

// The standard output and error of the program; nothing if it cannot be run.
std::optional<std::string> output_of(const Command& command);

enum class Quoting {
  shell,          // within '…' a backslash is one
  response_file,  // of a compiler (libiberty's buildargv, which clang follows): it quotes there, too
};

// The words of a text, separated by white space.
std::vector<std::string> split_words(const std::string& text, Quoting quoting = Quoting::shell);

}  // namespace thrum
