// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which line of a stack is the one to show to a person.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/trace_file.hpp"

namespace thrum {

// Every line of a stack, innermost first, inlined functions included.
std::vector<SourceLine> all_lines(const TraceFile& file, const std::vector<Place>& stack);

// The same without the compiler's and the system's own headers and libraries.
std::vector<SourceLine> user_lines(const TraceFile& file, const std::vector<Place>& stack);

// The first of user_lines(); else the first line known outside of the system's libraries; else nothing.
std::optional<SourceLine> shown_line(const TraceFile& file, const std::vector<Place>& stack);

// Where it failed: the place that the failure itself names, else the line of failing_stack() to show.
std::optional<SourceLine> failing_line(const TraceFile& file);

// user_lines() of the failure's stack. Where the failure names its place, what it called from there, such as
// the test framework's reporting, is left out.
std::vector<SourceLine> failing_lines(const TraceFile& file);

// The stacks that take part in a bug: where it failed, where each thread of a deadlock waits, or where the
// lost blocks were allocated that hang on no other.
std::vector<std::vector<Place>> involved_stacks(const TraceFile& file);

// The stack of the failure; where it has none, that of the failing thread's last event.
const std::vector<Place>& failing_stack(const TraceFile& file);

// Reads the text of source lines, each file once.
class SourceReader {
 public:
  // Without its indentation; empty where the file is not at hand.
  std::string text(const std::string& file, std::uint32_t line);

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

// Whether a file is the compiler's or the system's own, or Thrum's: the runtime, a header of its own.
bool is_system_path(std::string_view path);

}  // namespace thrum
