// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Systematic search: every execution, once each, within a bound on the cost; depth-first, or in order of
// cost.
//
// The idea. Run the empty plan. At each choice of its trace every option that was not taken is a new plan:
// the same beginning, then this departure. Run those, and look only at choices behind the departure, since
// those before it were seen when the plan was made. So each execution has exactly one plan, and is run
// exactly once.
//
// Example: two threads of one operation each. The empty plan runs 1 2; the choice before 1 gives the plan
// "0@0: 2", which runs 2 1.
//
// Taking the newest plan first is depth-first search. Taking the cheapest first is iterative context bounding
// (Musuvathi and Qadeer, PLDI 2007, Algorithm 1): its work queue is bucket c, its next work queue the
// one behind it, since what follows a departure by default costs nothing. With costs counted as delays it is
// delay bounding (Emmi, Qadeer, Rakamaric, POPL 2011). The plans wait in a fringe, whose keys are costs, or
// all the same.
//
// Each execution leaves many plans that cost one more, and most wait until the whole level is done. Where too
// many wait, an execution waits in place of the plans that come from it, and is run a second time when their
// turn comes: a few percent more executions for a fiftieth of the memory.
//
// Tried and rejected: depth-first search with the bound raised step by step, which needs no fringe, but runs
// every execution of the smaller bounds again. And the fringe's file in place of the second run: a million
// executions a second leave a hundred megabytes of plans a second, and each would be written and read again.
//
// Tested by explore_test.cpp and, against the brute-force oracle, oracle_test.cpp.
#pragma once

#include <cstdint>
#include <optional>

#include "search/frontier/fringe.hpp"
#include "search/frontier/level_estimate.hpp"
#include "search/strategy.hpp"

namespace thrum {

class Systematic final : public Strategy, public Divisible, public Durable, public Reporting {
 public:
  struct Settings {
    Base base = Base::nonpreemptive;
    std::optional<std::uint32_t> limit;  // no execution that costs more
    bool cheapest_first = true;          // false: depth-first
    std::size_t fringe_max =
        4'000'000;  // so many plans wait; of further ones, only the executions they come from
    Fringe::Settings fringe = {};
  };

  explicit Systematic(Settings settings);

  bool next(Plan& plan) override;
  bool repeats() const override { return running_.again; }
  void learn(const Plan& plan, const Trace& trace) override;
  Divisible* divisible() override { return this; }
  Durable* durable() override { return this; }
  Reporting& reporting() override { return *this; }
  std::unique_ptr<Strategy> split() override;
  void merge(Strategy& other) override;
  void save(ByteWriter& out, const ThreadNames& names) const override;
  bool load(ByteReader& in, ThreadNames& names) override;
  bool is_small() const override { return fringe_.is_small(); }
  Guarantee guarantee() const override;
  std::string problem() const override { return fringe_.problem(); }
  SearchStatistics statistics() const override { return fringe_.statistics(); }
  Progress progress() override;

  // Plans that wait.
  std::size_t fringe_size() const { return fringe_.size(); }

 private:
  Fringe::Key key_of(std::uint32_t cost) const { return settings_.cheapest_first ? cost : 0; }
  void begin_level();
  bool is_level_over() const;
  std::size_t waiting_of_level() const;

  Settings settings_;
  Fringe fringe_;
  Fringe::Waiting running_;
  std::optional<Fringe::Key> level_;  // that is being served
  LevelEstimate estimate_;
};

}  // namespace thrum
