// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A failing execution of a sequential program, as a schedule of the program with threads that it was made
// from. It can be saved, shown and run again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/text_style.hpp"

namespace thrum {

struct SequentialStep {
  std::uint32_t thread = 0;  // in the order of their starts; main is number 0
  std::string file;
  std::uint32_t line = 0;
  std::string text;  // of that line
};

struct SequentialTrace {
  std::vector<std::string> files;       // of the program with threads, absolute paths
  std::vector<std::string> threads{};   // what each runs
  std::vector<SequentialStep> steps{};  // the last one fails
  std::string message;
  std::string sequential;  // the trace of the sequential program; paths beside this trace
  std::string original;    // and of the compiled program with threads; empty: it was not confirmed
};

std::uint32_t switches_of(const SequentialTrace& trace);
// The number of switches away from threads that continue later.
std::uint32_t preemptions_of(const SequentialTrace& trace);
std::string to_json(const SequentialTrace& trace);
// Nothing if the file is no such trace. Throws UserError if it is a damaged one.
std::optional<SequentialTrace> read_sequential_trace(const std::string& path);
std::string sequential_trace_text(const SequentialTrace& trace, const TextStyle& style);
int sequential_replay_command(const std::string& path, const SequentialTrace& trace, Colour colour);

}  // namespace thrum
