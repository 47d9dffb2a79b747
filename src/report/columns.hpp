// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws rows as a table with one column a thread.
#pragma once

#include <string>
#include <vector>

#include "report/text_style.hpp"
#include "report/trace_rows.hpp"

namespace thrum {

struct Column {
  ThreadId thread;
  std::string title;  // the thread's name, and behind a space what it runs
};

// The thread's name, and behind a space the function that it runs, where events of it tell.
std::string column_title(const TraceFile& file, ThreadId thread);

// columns: of all threads that a row is of, from the left.
std::string draw_columns(const std::vector<Column>& columns, const std::vector<Row>& rows,
                         const TextStyle& style);
std::string draw_columns(const TraceFile& file, const std::vector<Row>& rows, const TextStyle& style);

}  // namespace thrum
