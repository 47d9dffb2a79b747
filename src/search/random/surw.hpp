// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SURW and URW, (selectively) uniform random walk, as a search: it draws a seed for each execution, and
// learns which objects threads share and how many operations each thread does.
//
// How one execution runs, with the idea and the paper: execution/surw_policy.hpp.
//
// Tested by policy_test.cpp, and against the oracle by tests/oracle/sampling_test.cpp.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "execution/surw_policy.hpp"
#include "search/strategy.hpp"
#include "support/random.hpp"

namespace thrum {

class Surw final : public Strategy, public Divisible, public Durable {
 public:
  // everything: Delta is all operations (URW).
  Surw(std::uint64_t seed, bool everything) : random_(seed), everything_(everything) {}

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
  void add(std::uint64_t object, ThreadId thread, std::uint64_t count);
  void find_shared();
  std::vector<ThreadCount> counts_of(std::uint64_t object) const;
  std::uint32_t mean(ThreadId thread, std::uint64_t total) const;

  Random random_;
  bool everything_;
  // Over all executions that were learned from.
  std::map<std::pair<std::uint64_t, ThreadId>, std::uint64_t> done_;  // operations, by object and thread
  std::map<ThreadId, std::uint64_t> appeared_;                        // in how many the thread did any
  bool from_failed_ = false;            // they are one that failed, perhaps early
  std::vector<std::uint64_t> objects_;  // in the order in which they were met
  std::vector<std::uint64_t> shared_;   // of them: that several threads used

  std::uint64_t executions_ = 0;  // that were exact
  bool unfit_ = false;            // one was not
  double log_least_ = 0;          // the smallest chance of an exact one
  std::uint64_t steps_ = 0;       // and how many operations in Delta it had
};

}  // namespace thrum
