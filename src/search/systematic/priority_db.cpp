// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// BF(db): executions that depart less often from the schedule that would be run by itself first, as in delay
// bounding (Emmi, Qadeer, Rakamaric, POPL 2011). Where threads wait for each other, who goes on costs no
// preemption, and there are as many orders of that as permutations; here each of them has its price.
#include "search/systematic/priorities.hpp"

namespace thrum {

Level db_priority(const Execution& execution, std::size_t, std::uint16_t) {
  constexpr Level kMost = 0xffff;
  const std::size_t departures = execution.plan.departures.size();
  return departures < kMost ? static_cast<Level>(departures) : kMost;
}

}  // namespace thrum
