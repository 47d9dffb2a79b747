// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between a worker's trace and a trace file.
#pragma once

#include <string>
#include <vector>

#include "protocol/job.hpp"
#include "report/trace_file.hpp"

namespace thrum {

// Fills in the trace, the modules of its report and the names of its places. program: the file that ran;
// where file.invocation names sources, its temporary path is replaced by a lasting name.
void set_trace(TraceFile& file, const Trace& trace, const ThreadNames& names, const Report& report,
               const std::string& program);

// A stack of a report as lines of the user's own code, innermost first.
std::vector<SourceLine> stack_lines(const Report& report, const std::vector<Place>& stack);

// Throws UserError where the file cannot be read or is no trace file.
TraceFile read_trace_file(const std::string& path);

}  // namespace thrum
