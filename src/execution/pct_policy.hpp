// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PCT, probabilistic concurrency testing: random priorities, and a few random moments at which they change.
//
// The idea. A bug of depth d needs d ordering constraints between events, and most bugs need few. Each thread
// gets a random priority, and the enabled thread with the highest one runs. At d - 1 of the k steps, chosen
// at random, the thread that did the step falls behind all others. A bug of depth d is then found with a
// probability of at least 1 / (n k^(d-1)) in each execution, where n is the number of threads, whatever the
// program does otherwise (Burckhardt, Kothari, Musuvathi, Nagarakatte, "A Randomized Scheduler with
// Probabilistic Guarantees of Finding Bugs", ASPLOS 2010).
//
// Example: two threads, one of which must stop between its two steps for the other one to go wrong. Depth 2:
// it gets the higher priority with 1/2, and its first step is the one chosen with 1/k.
//
// Here a step is a scheduling point, since threads without data races see no difference between them. n and k
// are learned: the first execution is the default one, and each later one goes by the most seen so far.
//
// Where we differ. What may end a wait unasked (a timeout, say) has a priority of its own, which is below all
// others half of the time: else nobody who was lowered could ever go before it. A thread that yields, and
// a timeout that took the turn of a thread, fall behind all others for good: else one that polls would
// run for ever. The theorem knows of none of these, nor of values and waiters that are drawn, so no number is
// given once a program was seen to have a choice of the kind.
//
// Tested by policy_test.cpp, and against the oracle by tests/oracle/sampling_test.cpp.
#pragma once

#include <vector>

#include "execution/policy.hpp"
#include "support/random.hpp"

namespace thrum {

class PctPolicy final : public RunningPolicy {
 public:
  struct Parameters {
    std::uint32_t depth = 0;  // priorities change at depth - 1 steps ...
    std::uint64_t steps = 0;  // ... of the first so many

    Parameters(std::uint32_t depth_of_bugs, std::uint64_t steps_max)
        : depth(depth_of_bugs), steps(steps_max) {}
    // REQUIRES: the policy is one of these.
    explicit Parameters(const Policy& policy)
        : depth(static_cast<std::uint32_t>(policy.parameter(0))), steps(policy.parameter(1)) {}
    Policy with_seed(std::uint64_t seed) const {
      return {.kind = Policy::Kind::pct, .seed = seed, .parameters = {depth, steps}};
    }
  };

  void begin(const Policy& policy) override;
  std::uint16_t choose(const ChoicePoint& point, std::span<const Option> options, Pending& threads) override;
  void follow(const ChoicePoint& point, std::span<const Option> options, std::uint16_t taken,
              Pending& threads) override;
  void finish(Sampling& sampling) const override;

 private:
  std::uint64_t& priority(Source source);
  void fall_behind(Source source);

  Random random_{0};
  std::vector<std::uint64_t> change_points_;  // steps, counted from 1
  std::vector<std::uint64_t> priorities_;     // by source; 0: none yet
  std::uint64_t step_ = 0;
  std::uint64_t lowest_ = 0;  // the next one for who falls behind all others
  std::uint32_t sources_ = 0;
  bool as_expected_ = true;
};

}  // namespace thrum
