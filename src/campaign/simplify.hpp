// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simplest schedule of a bug: the fewest preemptions, then the fewest switches of threads.
#pragma once

#include <cstdint>
#include <functional>

#include "campaign/explore.hpp"

namespace thrum {

// The budget is a number of executions, so that a search gives the same schedule on every machine. Seconds
// only limit programs whose executions take long.
struct SimplifyBudget {
  std::uint64_t executions = 10'000;
  double seconds = 10;

  std::function<bool()> out_of_time;          // see Limits
  std::function<void(const Plan&)> announce;  // see Limits
  std::function<double()> now;                // see Limits
};

// Searches for a simpler schedule of the bug, and notes in the bug what is proved. `minimal`: no schedule
// with fewer preemptions shows it. `switches_minimal`: no schedule with as few preemptions has fewer
// switches. Does not change the bug if control is lost. REQUIRES: the bug's plan gives its trace.
void simplify(Program& program, FoundBug& bug, const SimplifyBudget& budget);

// The number of neighbouring events of different threads in a trace. REQUIRES: events were recorded.
std::uint32_t count_switches(const Trace& trace);

}  // namespace thrum
