// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results for people: plain text, one column a thread.
#pragma once

#include <string>
#include <vector>

#include "report/result.hpp"
#include "report/text_style.hpp"
#include "report/trace_file.hpp"

namespace thrum {

// The verdict, what it covers and what weakens it, then each bug. traces[i] belongs to the i-th bug over all
// tests.
std::string text_report(const Result& result, const std::vector<TraceFile>& traces, const TextStyle& style);

// One trace: how it failed, and the operations that led there.
std::string text_trace(const TraceFile& trace, const TextStyle& style);

}  // namespace thrum
