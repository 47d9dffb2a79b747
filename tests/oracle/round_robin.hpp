// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An exercise: a new strategy from nothing. Threads take turns, each for a random quantum of steps.
//
// It decides while an execution runs, so it is its own advisor; it claims nothing, and keeps nothing but its
// random numbers. Tested by exercise_test.cpp.
#pragma once

#include "search/strategy.hpp"
#include "support/random.hpp"

namespace thrum {

class RoundRobin final : public Strategy, public Advisor {
 public:
  RoundRobin(std::uint64_t seed, std::uint32_t quantum_max) : random_(seed), quantum_max_(quantum_max) {}

  bool next(Plan& plan) override {
    plan = {};
    left_ = random_.below(quantum_max_);
    return true;
  }
  Advisor* advisor() override { return this; }
  void learn(const Plan&, const Trace&) override {}

  Advice at_point(const View& view) override {
    if (view.point.key.kind != ChoiceKind::thread) return take(random_.below(view.options.size()));
    const bool may_go_on = view.point.running_enabled && !view.point.yielded;
    if (may_go_on && left_-- > 0) return {};
    left_ = random_.below(quantum_max_);
    return take(view.point.round);
  }

 private:
  static Advice take(std::uint64_t option) {
    return {Advice::Kind::take, static_cast<std::uint16_t>(option)};
  }

  Random random_;
  std::uint32_t quantum_max_;
  std::uint64_t left_ = 0;  // steps of this quantum
};

}  // namespace thrum
