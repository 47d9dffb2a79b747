// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results for people: plain text, one column a thread.
#pragma once

#include <string>
#include <vector>

#include "report/result.hpp"
#include "report/trace_file.hpp"

namespace thrum {

struct TextStyle {
  int width = 100;
  bool colours = false;
  bool unfolded = false;  // show stretches without a switch in full
  std::string directory;  // paths below it are shown without it
};

// The width and colours for a descriptor: colours only for a terminal, and not where NO_COLOR is set.
TextStyle style_for(int descriptor);

// The verdict, what it covers and what weakens it, then each bug. traces[i] belongs to the i-th bug over all
// tests.
std::string text_report(const Result& result, const std::vector<TraceFile>& traces, const TextStyle& style);

// One trace: how it failed, and the operations that led there.
std::string text_trace(const TraceFile& trace, const TextStyle& style);

}  // namespace thrum
