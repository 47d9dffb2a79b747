// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lasting names of known races, as traces and jobs hold them.
//
// Tested by src/runtime/judge/race_names_test.cpp.
#pragma once

#include <span>
#include <vector>

#include "model/trace.hpp"
#include "races/known_races.hpp"

namespace thrum {

// Of the races in use.
std::vector<KnownRace> names_of(const KnownRaces& races);
// Races whose modules are not loaded are left out.
void add_by_names(KnownRaces& races, std::span<const KnownRace> names);

}  // namespace thrum
