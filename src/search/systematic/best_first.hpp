// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Best-first search (GAMBIT: Coons, Burckhardt, Musuvathi, PPoPP 2010, section 3.3): every execution, once
// each, within a bound on the cost, and those first that a list of priorities prefers.
//
// The idea. Run the empty plan. At each choice of its trace every option that was not taken is a new plan,
// and gets a priority, by what is known of this execution. Run the plan of the best priority; and so on until
// none is left. Priorities decide the order only: what is run in the end is what depth-first search runs, and
// claims the same.
//
// Example: with the priority mdpor, two threads that each do twenty operations, of which one of each touches
// the same variable: the second execution is the one in which these two come in the other order.
//
// Every option is a child, with a bound and without. GAMBIT takes the points of dynamic partial-order
// reduction only where there is no bound: that is best_first_dpor.hpp.
//
// Events are recorded only where a priority asks for them. Tested by best_first_test.cpp and, against the
// brute-force oracle, oracle_test.cpp.
#pragma once

#include <cstdint>
#include <optional>

#include "search/frontier/fringe.hpp"
#include "search/strategy.hpp"
#include "search/systematic/priorities.hpp"

namespace thrum {

class BestFirst final : public Strategy, public Divisible, public Durable, public Reporting {
 public:
  struct Settings {
    Base base = Base::nonpreemptive;
    std::optional<std::uint32_t> limit;  // no execution that costs more
    PriorityList priorities;
    std::uint64_t seed = 0;
    Fringe::Settings fringe = {};
  };

  explicit BestFirst(Settings settings);

  bool next(Plan& plan) override;
  std::string problem() const override { return fringe_.problem(); }
  Wanted wanted() const override { return wanted_; }
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

  SearchStatistics statistics() const override { return fringe_.statistics(); }
  Progress progress() override { return {fringe_.size(), {}, {}, {}}; }  // the order allows no estimate

 private:
  Settings settings_;
  Wanted wanted_;
  Fringe fringe_;
  Fringe::Waiting running_;
  TraceAnalysis analysis_;
};

}  // namespace thrum
