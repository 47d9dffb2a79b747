// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PCT, probabilistic concurrency testing, as a search: it draws a seed for each execution, and learns n and
// k.
//
// How one execution runs, with the idea and the paper: execution/pct_policy.hpp. Here: the first execution is
// the default one; each later one goes by the most threads (n) and steps (k) seen so far; and what the
// theorem says of each execution by itself is the search's guarantee.
//
// Tested by policy_test.cpp, and against the oracle by tests/oracle/sampling_test.cpp.
#pragma once

#include "execution/pct_policy.hpp"
#include "search/strategy.hpp"
#include "support/random.hpp"

namespace thrum {

class Pct final : public Strategy, public Divisible, public Durable {
 public:
  // REQUIRES: 1 <= depth <= kPctDepthMax
  Pct(std::uint64_t seed, std::uint32_t depth) : random_(seed), depth_(depth) {}

  bool next(Plan& plan) override;
  void learn(const Plan& plan, const Trace& trace) override;
  Divisible* divisible() override { return this; }
  Durable* durable() override { return this; }
  std::unique_ptr<Strategy> split() override;
  void merge(Strategy& other) override;
  void save(ByteWriter& out, const ThreadNames& names) const override;
  bool load(ByteReader& in, ThreadNames& names) override;
  Guarantee guarantee() const override;

 private:
  Random random_;
  std::uint32_t depth_;
  std::uint32_t threads_ = 0;  // n, the most so far; 0: nothing was run
  std::uint64_t steps_ = 0;    // k, the most so far
  // Executions whose change points were drawn from all of steps_.
  std::uint64_t executions_ = 0;
  bool unfit_ = false;
};

}  // namespace thrum
