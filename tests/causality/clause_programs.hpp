// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs that need clauses which random programs hardly ever do: without one of these the search would find
// something that is not there.
#pragma once

#include <span>

namespace thrum {

struct ClauseProgram {
  // What it is compared for: what threads read, ways of all threads together, or data races (there are none).
  enum class Compared : unsigned char { values, paths, races };

  const char* name;
  Compared compared;
  const char* text;
};

std::span<const ClauseProgram> clause_programs();

}  // namespace thrum
