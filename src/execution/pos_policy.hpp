// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// POS, partial order sampling: each pending event has a random priority; an event that raced gets a new one.
//
// The idea. The order of events that do not race does not matter. So an event gets a random priority when it
// becomes pending, and keeps it while other threads run events that it does not race with: how long it waits
// is decided once, not at each step. The enabled event with the highest priority runs. Then the events that
// race with it get new priorities, so that the result of one race does not influence the next (Yuan, Yang,
// Gu, "Partial Order Aware Concurrency Sampling", CAV 2018, Algorithm POS).
//
// Example: one thread does ten steps; another one does one write, which only the last of these steps reads.
// In a random walk the write comes after all ten with probability 1 : 2^10. Here it is 1 : 11, since its one
// priority must be lower than ten others.
//
// may_race() decides which events race, from the pending operations; in doubt it says yes. A timeout, a
// signal or a spurious wake-up that may come is an event of its thread beside the pending operation, with its
// own priority.
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
