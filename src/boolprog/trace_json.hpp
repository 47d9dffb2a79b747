// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The trace file of a boolean program: an execution that fails, in a form that can be saved, shown and
// replayed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "boolprog/interpreter.hpp"

namespace thrum::bp {

// A variable that a step changed, or its initial value: "x", or "f.x" for a local of procedure f.
struct NamedValue {
  std::string name;
  Value value = 0;
  bool is_thread = false;  // the value is the number of a thread, counted from 1; 0: none

  friend bool operator==(const NamedValue&, const NamedValue&) = default;
};

struct StoredStep {
  std::uint32_t thread = 0;
  std::uint32_t context = 0;  // counted from 1
  Pc pc = 0;
  std::string function;
  std::string statement;
  Position where{};
  std::uint32_t depth = 0;  // frames on the thread's stack, before the step
  std::optional<Pc> to{};   // place of the thread after the step; nullopt: it has ended
  std::vector<NamedValue> changes{};
};

struct StoredTrace {
  std::string file;        // of the program, an absolute path
  std::uint32_t bits = 0;  // of integers, where the program is one of C; else 0
  std::string engine;
  std::string first, target;          // of a pushdown file: its configurations
  std::vector<std::string> entries;   // procedures of the initial threads
  bool asserts = true;                // the goal: assertions, and
  std::vector<std::string> labels{};  // these labels
  std::uint32_t contexts = 0;
  std::string message;
  bool in_init = false;                // `init` fails
  std::vector<std::string> threads{};  // the procedure of each thread
  std::vector<NamedValue> begin{};     // globals; locals of threads as "1:f.x", the thread counted from 0
  std::vector<StoredStep> steps{};
  std::uint32_t failing = 0;  // the thread
  std::string failing_function;
  std::string failing_statement;
  Position failing_where{};
};

// The caller adds the fields that hold for all steps: file, engine, entries, asserts, labels, message.
StoredTrace stored(const Flow& flow, const Execution& execution);

std::string to_json(const StoredTrace& trace);

// nullopt if the text is not such a file. If it is a broken one, `problem` also says what is wrong.
std::optional<StoredTrace> trace_from_json(const std::string& text, std::string& problem);

// Replays the steps with the interpreter. Returns an empty text if the program then fails as the trace says,
// else the difference. Throws TooManyOutcomes.
std::string replay(const Flow& flow, const Goal& goal, const StoredTrace& trace, bool& departed);

}  // namespace thrum::bp
