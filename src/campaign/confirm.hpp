// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a schedule again to see whether the result is the same, as it is if the program is under control.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "execution/program.hpp"
#include "model/plan.hpp"
#include "model/trace.hpp"

namespace thrum {

// Two different runs of one schedule, with all their events.
struct Divergence {
  Trace first;
  Trace second;
  std::uint64_t event = 0;  // the first that differs, from 0; the number of events where only the ends differ
};

// One line: where they differ.
std::string describe(const Divergence& divergence, const ThreadNames& names);

// Runs plan twice with everything recorded. Nothing if both runs are the same. trace: of the first run. plan
// is rewritten as departures from the non-preemptive base. If the time limit is reached in a run (End::time),
// the check ends, and nothing differs as far as is known.
std::optional<Divergence> find_divergence(Program& program, Plan& plan, Trace& trace);

// The first event in which two traces with Wanted::kPlaces differ, as in Divergence. Nothing if they have the
// same events, names, values and end.
std::optional<std::uint64_t> first_difference(const Trace& a, const Trace& b);

// The schedule of a trace as departures from the non-preemptive base, and its cost there. REQUIRES: every
// choice was recorded.
Plan departures_from_base(const Trace& trace, std::uint32_t& preemptions);

// The plan of an execution in which rounds came to nothing (Rounds), so that its threads run all their
// rounds: it has the same events up to the last one, and needs nothing that was learned of loops. trace: of
// the run that shows them.
Plan with_all_rounds(Program& program, const Plan& plan, Trace& trace);
// The same where that run has been: trace is of it, with all choices and events.
Plan with_all_rounds(const Plan& plan, const Trace& trace);

}  // namespace thrum
