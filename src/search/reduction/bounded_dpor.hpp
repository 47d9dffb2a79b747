// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounded partial-order reduction (Coons, Musuvathi, McKinley, OOPSLA 2013): Dpor with persistent sets within
// a bound on preemptions, of 0, then 1, 2, ...
//
// The idea. To run a thread before a step may cost a preemption that the bound does not allow, while the same
// order of what depends on each other could have been had for less: by running that thread before all of the
// block of steps in which this one stands, where another thread was chosen anyway. So each alternative is
// added at the beginning of the block too (the paper's conservative backtracking points).
//
// Example: thread 1 loads x and stores to y, thread 2 stores to y. To run 2 before the store of 1 costs one
// preemption. With a bound of 0, 2 is run before the load.
//
// What else is different from Dpor. A step is compared with every step that was taken while it was pending,
// not with the last alone: to come before that one may be too dear, and before the one before it not. And
// nothing sleeps: what was run instead may have cost more.
//
// Tested by reduction_test.cpp.
#pragma once

#include "search/reduction/dpor.hpp"

namespace thrum {

class BoundedDpor final : public Dpor {
 public:
  // limit: the last bound; nothing: none.
  explicit BoundedDpor(std::optional<std::uint32_t> limit = {})
      : Dpor(Algorithm::persistent), limit_(limit) {}

  Advisor* advisor() override { return nullptr; }
  std::unique_ptr<Strategy> split() override;
  void merge(Strategy& other) override;
  void save(ByteWriter& out, const ThreadNames& names) const override;
  bool load(ByteReader& in, ThreadNames& names) override;
  Guarantee guarantee() const override;
  Progress progress() override;

 private:
  BoundedDpor(const BoundedDpor&) = default;
  std::unique_ptr<Dpor> copy() const override { return std::unique_ptr<Dpor>(new BoundedDpor(*this)); }
  bool begins_again() override;
  void end_subtree() override;
  void add_alternatives(Index depth) override;
  void reverse_races(Index late) override;
  void reverse_races_of_last(Index late) override { reverse_races(late); }
  void insert(Index late, Index early, const Step& taken) override;
  void add_all(Index depth) override { add_within_bound(depth, {kNoThread, Via::run}); }
  void take_foe(const Foe&, const Delegation&) override {}  // nothing sleeps

  std::vector<Index> find_conflicts(Index late) const;
  void add_within_bound(Index depth, const Option& option);
  void add_if_allowed(Index depth, std::size_t option);

  std::optional<std::uint32_t> limit_;
  std::uint32_t bound_ = 0;  // of the executions that run now
  bool excluded_ = false;    // something cost more
  std::optional<std::uint32_t> completed_;
};

}  // namespace thrum
