// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every check assumes, whatever the program: the same each time, and so told in full only when asked for
// (thrum check --assumptions, thrum help assumptions). JSON results hold all.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/result.hpp"
#include "report/text_style.hpp"

namespace thrum {

struct GeneralAssumption {
  std::string_view kind;   // as in the JSON result
  std::string_view brief;  // a few words: "fixed inputs"
  std::string_view text;   // one sentence, as in the JSON result
  std::string_view why;    // what it means for the user, and what can be done about it
};

std::span<const GeneralAssumption> general_assumptions();

// As it stands in a result. REQUIRES: there is one of that kind.
Assumption general_assumption(std::string_view kind);

// The assumptions of a check in words: those that are particular to it in full; of the others the names, or
// all of it where the style asks for that.
std::string assumptions_text(const std::vector<Assumption>& assumptions, const TextStyle& style);

// The page of thrum help assumptions.
std::string assumptions_page(const TextStyle& style);

}  // namespace thrum
