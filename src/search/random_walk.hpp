// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random walk: at each choice each option alike. It claims nothing, forgets nothing and never ends by itself.
//
// Each option alike is not each schedule alike: a schedule in which one thread waits for n steps of another
// has half the chance with each of them. The other random policies mend that, each in its way.
//
// The n-th execution's seed is drawn from the search's seed, so that a search repeats, and a plan is only a
// seed.
//
// Tested by systematic_test.cpp.
#pragma once

#include "search/policy.hpp"
#include "search/strategy.hpp"
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

class RandomWalk final : public Strategy {
 public:
  explicit RandomWalk(std::uint64_t seed) : random_(seed) {}

  bool next(Plan& plan) override;
  Recording recording() const override { return Recording::fringe; }
  void learn(const Plan&, const Trace&) override {}
  std::unique_ptr<Strategy> split() override;
  void merge(Strategy&) override {}
  void save(ByteWriter& out, const ThreadNames& names) const override;
  bool load(ByteReader& in, ThreadNames& names) override;
  Guarantee guarantee() const override { return {}; }

 private:
  Random random_;
};

}  // namespace thrum
