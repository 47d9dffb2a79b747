// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PCT, probabilistic concurrency testing: random priorities that change at a few random steps.
//
// The idea. A bug of depth d needs d ordering constraints between events, and most bugs need few. Each thread
// gets a random priority, and the enabled thread with the highest priority runs. At d - 1 of the k steps,
// chosen at random, the thread that did the step gets the lowest priority. Each execution then finds a bug of
// depth d with a probability of at least 1 / (n k^(d-1)), where n is the number of threads, whatever else the
// program does (Burckhardt, Kothari, Musuvathi, Nagarakatte, "A Randomized Scheduler with Probabilistic
// Guarantees of Finding Bugs", ASPLOS 2010).
//
// Example: two threads; the bug shows if one of them stops between its two steps. Depth 2: the thread gets
// the higher priority with probability 1/2, and its first step is the chosen one with probability 1/k.
//
// Here a step is a scheduling point: threads without data races cannot tell the difference. n and k are
// learned: the first execution is the default one, and each later one uses the largest numbers seen so far.
//
// Where we differ. An event that may end a wait by chance (a timeout, say) has a priority of its own, which
// is below all others half of the time: else no thread with a lowered priority could ever run before it. A
// thread that yields, and a timeout that was taken in place of a thread, get the lowest priority for good:
// else a thread that polls would run for ever. The theorem does not cover this, nor choices of values and
// waiters. So no probability is reported once the program was seen to have such a choice.
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
  std::uint64_t lowest_ = 0;  // the priority of the next thread that gets the lowest one
  std::uint32_t sources_ = 0;
  bool as_expected_ = true;
};

}  // namespace thrum
