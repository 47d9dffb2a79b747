// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checkers of sequential programs, and what they say of one that thrum sequentialize wrote.
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
  std::optional<unsigned> line{};                                  // of the file, that fails
  std::vector<std::pair<std::string, std::string>> assumptions{};  // kind, text
  std::string trace;                                               // of thrum
  std::string bug_kind{};                                          // likewise
  std::string message{};
};

// Throws UserError where the checker is not there.
CheckerAnswer run_checker(const CheckerRequest& request);

// A step of a thread, or its failure, in the sequential program's execution that a trace of thrum holds.
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

// The compiled program with threads, searched for a failure in the given line: the trace of one, or nothing.
std::optional<std::string> confirming_trace(const std::vector<std::string>& files, const std::string& flags,
                                            const std::string& file, unsigned line, bool is_race,
                                            double seconds, const std::string& folder);

}  // namespace thrum
