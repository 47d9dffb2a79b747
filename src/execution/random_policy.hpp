// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The policy of a random walk: at each choice each option is equally likely.
//
// Equally likely options do not make schedules equally likely: a schedule in which one thread waits for n
// steps of another loses half of its probability at each of them. The other random policies correct this in
// different ways.
//
// Tested by explore_test.cpp.
#pragma once

#include "execution/policy.hpp"
#include "support/random.hpp"

namespace thrum {

class RandomWalkPolicy final : public RunningPolicy {
 public:
  void begin(const Policy& policy) override { random_ = Random(policy.seed); }
  std::uint16_t choose(const ChoicePoint&, std::span<const Option> options, Pending&) override {
    return static_cast<std::uint16_t>(random_.below(options.size()));
  }

 private:
  Random random_{0};
};

}  // namespace thrum
