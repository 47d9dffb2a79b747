// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "campaign/suite.hpp"

#include "campaign/confirm.hpp"

namespace thrum {

SuiteSchedule suite_schedule(Program& program, const Plan& plan, const Trace& shown, Trace& again) {
  std::uint32_t cost = 0;
  Plan alone =
      shown.rounds == Rounds::repeat ? departures_from_base(shown, cost) : with_all_rounds(plan, shown);
  alone.inputs = plan.inputs;
  program.run(alone, nullptr, Wanted::all_events(), again);
  SuiteSchedule schedule;
  schedule.plan = departures_from_base(again, cost);
  schedule.plan.inputs = plan.inputs;
  schedule.end = again.end;
  schedule.events = digest_of_events(again, program.names());
  return schedule;
}

}  // namespace thrum
