// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checkers of sequential programs, and their answers for a program of thrum sequentialize.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace thrum {

struct CheckerRequest {
  std::string checker;  // thrum, bool, clang-analyzer, gcc-analyzer, frama-c, or a command line, in which {}
                        // is the file
  std::string pattern;  // of a command line: a regular expression for what it prints where the program fails
  std::string file;     // the sequential program
  std::string flags;    // of the compiler
  std::string folder;   // for what is left of the check
  double seconds = 60;  // 0: no limit
};

struct CheckerAnswer {
  enum class Kind {
    fails,
    proved,  // no execution fails
    silent,  // no failure was found, which proves nothing
  };
  Kind kind = Kind::silent;
  std::string reason;
  bool budget_ended = false;
  double seconds = 0;
  std::uint64_t executions = 0;                                    // 0: the checker runs none
  std::optional<unsigned> line{};                                  // the failing line of the file
  std::vector<std::pair<std::string, std::string>> assumptions{};  // kind, text
  std::string trace;                                               // of `thrum check`, with
  std::string bug_kind{};                                          // the kind of its bug
  std::string message{};
};

// Throws UserError if the checker is missing.
CheckerAnswer run_checker(const CheckerRequest& request);

// A step of a thread, or its failure, in an execution of the sequential program that a trace holds.
struct RecordedStep {
  unsigned thread = 0;
  unsigned function = 0;  // that the thread runs; main is number 0
  unsigned round = 0;
  unsigned line = 0;
  bool fails = false;
  std::string message;
};
std::vector<RecordedStep> recorded_steps(const std::string& trace, const std::string& flags,
                                         const std::string& folder);

// Searches the compiled program with threads for a failure in this line. The trace of one, or nothing.
std::optional<std::string> confirming_trace(const std::vector<std::string>& files, const std::string& flags,
                                            const std::string& file, unsigned line, bool is_race,
                                            double seconds, const std::string& folder);

}  // namespace thrum
