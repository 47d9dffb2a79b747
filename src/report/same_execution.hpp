// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether two traces, of two processes, are of the same execution.
#pragma once

#include <string>

#include "report/trace_file.hpp"

namespace thrum {

// As first_difference() (campaign/confirm.hpp), for traces of two processes, which number modules and threads
// differently and place them elsewhere. Of two engines, what has a name is compared by that.
// first_difference: one line, where they differ.
bool same_execution(const TraceFile& a, const TraceFile& b, std::string& first_difference);

}  // namespace thrum
