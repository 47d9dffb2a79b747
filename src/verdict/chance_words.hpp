// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is said of a randomised search (docs/strategies.md).
#pragma once

#include <string>

#include "report/result.hpp"
#include "search/strategy.hpp"

namespace thrum {

// In one sentence, also where no number can be given: then why.
std::string chance_words(const Chance& chance);

// The same, with the sentence, for the result.
ProbabilityResult probability_of(const Chance& chance);

}  // namespace thrum
