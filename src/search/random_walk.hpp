// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random walk: at each choice each option alike. It claims nothing, forgets nothing and never ends by itself.
//
// The n-th execution's seed is drawn from the search's seed, so that a search repeats, and a plan is only a
// seed.
//
// Tested by systematic_test.cpp.
#pragma once

#include "search/strategy.hpp"
#include "support/random.hpp"

namespace thrum {

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
