// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reads of a search by constraint solving, as text (--decisions).
#pragma once

#include <string>

#include "report/result.hpp"
#include "report/text_style.hpp"

namespace thrum {

// Reads that gave one value, and can give no other, are only counted. Empty: they were not asked for.
std::string decisions_text(const CausalityResult& causality, const TextStyle& style);

}  // namespace thrum
