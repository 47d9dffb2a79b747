// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running other programs, such as a compiler, and waiting for them.
//
// Tested by process_test.cpp.
#pragma once

#include <array>
#include <csignal>
#include <cstddef>
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

// A program to run in a folder, with its output and messages in a file.
struct Task {
  Command command;
  std::string folder;
  std::string output;
};

// Runs the tasks, at most `jobs` at a time, and waits for them. When one fails, or this process is to end (an
// InterruptHandler has counted a signal), those that still run are ended, and no other is started. Returns
// the index of the one that failed first; the number of tasks: none did, but a signal came; nothing: all went
// well. REQUIRES: this process has no other children and no other threads.
std::optional<std::size_t> run_all(const std::vector<Task>& tasks, std::size_t jobs);

enum class Quoting {
  shell,          // within '…' a backslash is one
  response_file,  // of a compiler (libiberty's buildargv, which clang follows): it quotes there, too
};

// The words of a text, separated by white space.
std::vector<std::string> split_words(const std::string& text, Quoting quoting = Quoting::shell);

}  // namespace thrum
