// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers of a search, for people: a table of what each bound cost and gave.
#pragma once

#include <string>

#include "report/result.hpp"
#include "report/text_style.hpp"

namespace thrum {

// Empty where the style does not want it, or nothing was counted; but for local states, if they were counted.
std::string statistics_text(const TestResult& test, const TextStyle& style);

}  // namespace thrum
