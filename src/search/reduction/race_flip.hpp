// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Race detection and flipping, depth first (Sen, Agha, A Race-Detection and Flipping Algorithm for Automated
// Testing of Multi-threaded Programs, HVC 2006; their tool is jCUTE): each class at least once, and some more
// often. A baseline for the other reductions.
//
// The idea. Run one execution to its end. If some later step of another thread races with a step, the thread
// of the step is postponed at the point before it. The execution runs again up to that point, and there a
// thread that is not postponed goes on. A postponed thread may run again as soon as something was done that
// depends on its step, or if no other thread can go on. So the race is flipped. If the step that was run
// instead races too, in this execution or in any other one behind it, its thread is postponed as well, and
// the next thread is run; and so on. The deepest point comes first. Dpor runs the thread that the race names;
// here the race only says that another thread is to be run.
//
// Example: thread 1 stores to x, thread 2 loads it, thread 3 stores to y. The first execution is 1 2 3. Steps
// 1 and 2 race, so 1 is postponed: 2 1 3. No other race is found. Two executions in place of six.
//
// The threads that are postponed at a point are its sleepers (path.hpp). But these are no sleep sets: what is
// postponed at a point is not postponed at those behind it. From there it may be run again, which is
// redundant and costs most where many threads race for different objects (docs/strategies.md has figures).
//
// Two rules of jCUTE, as its source has them, keep what was flipped from being flipped back. Here each
// differs a little:
//   - In jCUTE a race of the point's step with a postponed thread does not count. Here it does not count only
//     if the later step is the one that the thread stands before at the point, and needs none of the steps
//     between. Else classes are missed. Example: thread 1 stores to x, threads 2 and 3 load it. Behind 1 2 3
//     come 2 1 3 and 2 3 1. In both 2 races with 1, which is postponed at the first point. But in 2 3 1 the
//     store needs the load of 3 before it: that race counts, and leads to 3 1 2.
//   - At the point whose step depends on the step of a postponed thread, that thread is postponed too: to run
//     it there is to run it first. jCUTE does so where a step depends on that of the thread postponed last;
//     here it is done for each postponed thread.
//
// Why no class is missed. Let E be an execution from a point to whose beginning none of the steps that were
// run there can be moved, and let e be the one that was run last. Then some step of E depends on e. Let d be
// the first of them. The steps of E before d may also follow e. So, by induction, an execution was run that
// has e, these steps, and then the operation of d, or in which that operation waits in vain. It races with e.
// The race does not count only if d is the step of a postponed thread and needs none of the steps before it;
// but then d could be moved to the beginning of E. So the race counts, and one more thread is run. This is
// our argument.
//
// All else is as in Dpor. A lock that has to wait is no step: acquisitions race, and what waits in vain does
// (reversals.hpp). What a step can choose by itself is all run, before another thread is. Awaits are tried
// before the branches of an execution are found. A thread that could not go on at its point after all stays
// postponed there, so that it is not chosen again, but its races count. No execution is broken off.
//
// Tested by race_flip_test.cpp, reduction_test.cpp, waiting_test.cpp and waiting_await_test.cpp, against the
// brute-force oracle. They fail with the first rule as it is in jCUTE. Without either rule they find nothing
// missed, but more executions.
#pragma once

#include <memory>

#include "search/reduction/dpor.hpp"

namespace thrum {

class RaceFlip final : public Dpor {
 public:
  explicit RaceFlip(Rounds rounds = Rounds::repeat)
      : Dpor(Algorithm::persistent, rounds, SleepAdvisor::Otherwise::runs_on) {}

 private:
  RaceFlip(const RaceFlip&) = default;
  std::unique_ptr<Dpor> copy() const override { return std::unique_ptr<Dpor>(new RaceFlip(*this)); }
  void find_branches(const Trace& trace, Index branch) override;
  void end_subtree() override;
  void insert(Index late, Index early, const Step& taken) override;
  void add_all(Index depth) override { flip(depth); }
  void take_foe(const Foe&, const Delegation&) override {}  // what is postponed covers by its step alone

  bool is_postponed(Index depth, const Step& step) const;
  void flip(Index depth);
};

}  // namespace thrum
