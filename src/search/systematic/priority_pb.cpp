// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// BF(pb), GAMBIT, section 4.1: executions with fewer preemptions first. With a bound of delays, fewer delays.
#include "search/systematic/priorities.hpp"

namespace thrum {

Level pb_priority(const Execution& execution, std::size_t choice, std::uint16_t option) {
  constexpr Level kMost = 0xffff;
  const ChoicePoint& point = execution.trace.choices[choice];
  Base base = execution.plan.policy.base;
  Level cost = point.cost_before + Level{option_cost(point, execution.trace.options_of(point), option, base)};
  return cost < kMost ? cost : kMost;
}

}  // namespace thrum
