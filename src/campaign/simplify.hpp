// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simplest schedule of a bug: the fewest preemptions, then the fewest switches of threads.
#pragma once

#include <cstdint>
#include <functional>

#include "campaign/explore.hpp"

namespace thrum {

// A count of executions, so that the same search gives the same schedule on every machine; seconds only so
// that a program whose executions take long is not held up.
struct SimplifyBudget {
  std::uint64_t executions = 10'000;
  double seconds = 10;

  std::function<bool()> out_of_time;          // as in Limits
  std::function<void(const Plan&)> announce;  // as in Limits
  std::function<double()> now;                // as in Limits
};

// Looks for a simpler schedule of the bug, and says in it what is proved: `minimal`, that no schedule with
// fewer preemptions shows it; `switches_minimal`, that none with as few preemptions has fewer switches.
// Leaves the bug as it is where control is lost. REQUIRES: the bug's plan gives its trace.
void simplify(Program& program, FoundBug& bug, const SimplifyBudget& budget);

// How often in a trace another thread goes on than the one that did the event before. REQUIRES: events were
// recorded.
std::uint32_t count_switches(const Trace& trace);

}  // namespace thrum
