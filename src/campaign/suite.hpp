// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A reduced test suite: the few schedules that together show all that a search is about. Later they run
// against newer builds of the program.
#pragma once

#include "execution/program.hpp"
#include "model/plan.hpp"
#include "model/suite_schedule.hpp"
#include "model/trace.hpp"

namespace thrum {

// Takes the schedules of a suite one by one, while the search goes on.
class SuiteTaker {
 public:
  virtual void add(const SuiteSchedule& schedule) = 0;
  // Those so far belong to no suite: the search has begun again.
  virtual void begin_again() = 0;

 protected:
  ~SuiteTaker() = default;
};

// The schedule of an execution of plan, perhaps with advice, so that it needs neither advice nor what was
// learned of loops. It is run once for that: `again` is its trace, and its end is what the schedule says.
// shown: the execution's trace. REQUIRES: shown has all choices and events.
SuiteSchedule suite_schedule(Program& program, const Plan& plan, const Trace& shown, Trace& again);

}  // namespace thrum
