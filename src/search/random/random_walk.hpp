// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random walk as a search: a seed for each execution. It claims nothing, remembers nothing and never ends by
// itself. How one execution runs: execution/random_policy.hpp.
//
// The n-th execution's seed is drawn from the search's seed, so that a search repeats, and a plan is only a
// seed.
//
// Tested by explore_test.cpp.
#pragma once

#include "search/strategy.hpp"
#include "support/random.hpp"

namespace thrum {

class RandomWalk final : public Strategy, public Divisible, public Durable {
 public:
  explicit RandomWalk(std::uint64_t seed) : random_(seed) {}

  bool next(Plan& plan) override;
  void learn(const Plan&, const Trace&) override {}
  Divisible* divisible() override { return this; }
  Durable* durable() override { return this; }
  std::unique_ptr<Strategy> split() override;
  void merge(Strategy&) override {}
  void save(ByteWriter& out, const ThreadNames& names) const override;
  bool load(ByteReader& in, ThreadNames& names) override;

 private:
  Random random_;
};

}  // namespace thrum
