// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws rows as a table with one column a thread.
#pragma once

#include <string>
#include <vector>

#include "report/text_report.hpp"
#include "report/trace_rows.hpp"

namespace thrum {

inline constexpr char kRed[] = "\033[1;31m";
inline constexpr char kGreen[] = "\033[1;32m";
inline constexpr char kYellow[] = "\033[1;33m";
inline constexpr char kDim[] = "\033[2m";

// text in a colour, or as it is.
std::string coloured(const std::string& text, const char* colour, bool colours);

std::string draw_columns(const TraceFile& file, const std::vector<Row>& rows, const TextStyle& style);

}  // namespace thrum
