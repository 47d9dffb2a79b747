// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A schedule is run again: whether it gives the same, as it does where the program is under control.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "execution/program.hpp"
#include "model/plan.hpp"
#include "model/trace.hpp"

namespace thrum {

// Two runs of one schedule that differ, with all their events.
struct Divergence {
  Trace first;
  Trace second;
  std::uint64_t event = 0;  // the first that differs, from 0; the number of events where only the ends differ
};

// In one line, where they differ.
std::string describe(const Divergence& divergence, const ThreadNames& names);

// Runs plan twice with everything recorded; nothing where both are the same. The trace is the first run's;
// plan is rewritten as departures from the non-preemptive base. Where the time ends in a run (End::time), so
// does that: nothing differs as far as is known.
std::optional<Divergence> find_divergence(Program& program, Plan& plan, Trace& trace);

// The first event in which two traces with Wanted::kPlaces differ, as in Divergence; nothing where they show
// the same events, names, values and end.
std::optional<std::uint64_t> first_difference(const Trace& a, const Trace& b);

// The schedule of a trace as departures from the non-preemptive base, and what it costs there. REQUIRES:
// every choice was recorded.
Plan departures_from_base(const Trace& trace, std::uint32_t& preemptions);

}  // namespace thrum
