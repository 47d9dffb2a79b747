// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A trace as rows of a table with one column a thread: what each row says, not how it looks.
#pragma once

#include <string>
#include <vector>

#include "report/trace_file.hpp"

namespace thrum {

struct Row {
  enum class Kind {
    operation,   // the thread did something
    preemption,  // the thread could have gone on, and another one did
    wait,        // the thread cannot go on, or is at its end
    fold,        // rows left out
    failure,     // the thread failed
    mark,        // something of the rows that follow, across all columns
  };
  Kind kind = Kind::operation;
  ThreadId thread = kMainThread;
  std::string text;
  std::string source;      // file and line; empty where nothing is known
  std::size_t number = 0;  // operation: the event, counted from 1
  std::size_t hidden = 0;  // fold: how many operations
};

// All that the trace shows, in its order. The failure comes last.
std::vector<Row> trace_rows(const TraceFile& file);

// Leaves out the middle of long stretches of one thread, and of a table that is too long as a whole.
std::vector<Row> fold(const std::vector<Row>& rows);

}  // namespace thrum
