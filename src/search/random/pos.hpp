// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// POS, partial order sampling, as a search: a seed for each execution.
//
// How one execution runs, with the idea and the paper: execution/pos_policy.hpp. The paper's bound on the
// chance of a partial order depends on how many of its events race, which one execution does not tell of
// another; so no number is given.
//
// Tested by policy_test.cpp, and against the oracle by tests/oracle/sampling_test.cpp.
#pragma once

#include "search/strategy.hpp"
#include "support/random.hpp"

namespace thrum {

class Pos final : public Strategy, public Divisible, public Durable {
 public:
  explicit Pos(std::uint64_t seed) : random_(seed) {}

  bool next(Plan& plan) override;
  void learn(const Plan&, const Trace&) override {}
  Divisible* divisible() override { return this; }
  Durable* durable() override { return this; }
  std::unique_ptr<Strategy> split() override { return std::make_unique<Pos>(random_.next()); }
  void merge(Strategy&) override {}
  void save(ByteWriter& out, const ThreadNames&) const override { out.put(random_.state()); }
  bool load(ByteReader& in, ThreadNames& names) override;

 private:
  Random random_;
};

}  // namespace thrum
