// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// POS, partial order sampling: a random priority for each pending event, and a new one for each that raced.
//
// The idea. Events that do not race may stand in any order; to choose between them is to choose nothing. So
// an event gets a random priority when it becomes possible, and keeps it while only others run that it does
// not race with: how long it waits is decided once, not at each step anew. The possible event with the
// highest priority runs; then those that race with it get new priorities, so that what one race came to says
// nothing of the next (Yuan, Yang, Gu, "Partial Order Aware Concurrency Sampling", CAV 2018, Algorithm POS).
//
// Example: one thread does ten steps, another writes once what only the last of them reads. By random walk
// the write stays behind all ten with 1 : 2^10; here with 1 : 11, since its one priority must be below ten.
//
// Which events race is told by may_race(), from what each thread stands before; it also says yes where that
// does not suffice to tell. A timeout, a signal or a spurious wake-up that may come is an event of its thread
// beside the one that the thread stands before, with a priority of its own.
//
// Tested by policy_test.cpp, and against the oracle by tests/oracle/sampling_test.cpp.
#pragma once

#include <vector>

#include "execution/policy.hpp"
#include "support/random.hpp"

namespace thrum {

class PosPolicy final : public RunningPolicy {
 public:
  void begin(const Policy& policy) override;
  std::uint16_t choose(const ChoicePoint& point, std::span<const Option> options, Pending& threads) override;
  void follow(const ChoicePoint& point, std::span<const Option> options, std::uint16_t taken,
              Pending& threads) override;

 private:
  Random random_{0};
  std::vector<std::uint64_t> priorities_;  // by source; 0: none yet
};

}  // namespace thrum
