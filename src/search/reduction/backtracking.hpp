// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backtracking points: what an execution adds to the branches of its path. It is the part of the reductions
// that looks at races (lines 3 to 5 of Algorithm 2 as tests/oracle/reference_dpor.cpp has it); the order in
// which branches are run is another matter (dpor.hpp, best_first_dpor.hpp).
//
// For a race of e and a later step e' the reversal is v = notdep(e).e': the steps behind e that do not happen
// after it, as they came, and then e' turned round. It is inserted at the point before e unless it is covered
// there: by a sleeping step that may begin v (v contains it with nothing before it that it depends on, or all
// of v commutes with it: a weak initial, section 3.4); or by a branch that may, followed in the same way down
// the wakeup tree to a leaf. The algorithms differ in what they insert (Insertion):
//   persistent  (Flanagan, Godefroid, POPL 2005) the thread of e' if it can go on at the point, else every
//               thread that can.
//   source      (Abdulla, Aronis, Jonsson, Sagonas, JACM 2017, Algorithm 1) one initial of v, unless some
//               branch is one.
//   optimal     (the same, Algorithm 2) the whole of v, in a wakeup tree.
//
// Where we differ from the papers.
//   - What a step chooses by itself (a value, the waiter that a signal wakes, a timeout) are steps that
//     exclude each other. All are run, one right behind the other.
//   - A step that ends the execution by a bug is run again where nothing else is left, since what the others
//     would have done behind it was not seen.
//   - Algorithm 2 looks at all races of each execution. We look at a race when its later step is first run.
//     Later executions with these steps give the reversal another tail. They need no second look if what the
//     reversals have in common (the steps up to the reversed one) alone decides where they go: it was
//     followed in the wakeup tree to its end or to a leaf, and no other branch on the way could come first
//     for another tail; or a sleeping step covers it. Else the race is looked at again (Proviso). This is
//     our argument.
//
// Tested by reduction_test.cpp, against the brute-force oracle, and by reference_dpor_test.cpp, against
// Algorithm 2 as the paper prints it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/reduction/path.hpp"
#include "search/reduction/reversals.hpp"
#include "search/reduction/wakeup_tree.hpp"

namespace thrum {

// Whether an execution ended though threads could go on.
bool cuts_off(const Trace& trace);

class Backtracking {
 public:
  using Index = Path::Index;
  using Point = Path::Point;
  using Sleeper = Path::Sleeper;
  enum class Algorithm : std::uint8_t { persistent, source, optimal };

  explicit Backtracking(Algorithm algorithm);
  virtual ~Backtracking() = default;

  Path& path() { return path_; }
  const Path& path() const { return path_; }
  Conditions& conditions() { return conditions_; }
  const Conditions& conditions() const { return conditions_; }
  WakeupTrees& trees() { return trees_; }  // the branches of all points

  // Adds what is to be run besides, by what the last execution did. It lies on the path, and is as the one
  // before it up to the step of the branch. REQUIRES: there is a step
  virtual void find_branches(const Trace& trace, Index branch);

  // What the execution shows of the values that enable awaits.
  void learn_conditions(const Trace& trace);

  // An await may come before an earlier step if the value that it reads there enables it. Where that is not
  // known, it is tried in an execution of its own before any branch is found.
  struct Attempt {
    Refusal what;  // that is to be found right or wrong
    Index early = 0;
    std::vector<Departure> steps;  // behind the steps before the early one; the await is the last
    ThreadId thread = kNoThread;   // these two are the await's event
    std::uint32_t index = 0;
  };
  // Those of the execution. find_branches() REQUIRES that there are none.
  std::vector<Attempt> find_attempts(const Trace& trace, Index branch);
  // Its plan. Gives how many of the departures were followed before.
  std::size_t plan_attempt(const Attempt& attempt, Plan& plan) const;
  // The attempt was made. False: it could not be.
  bool learn_attempt(const Attempt& attempt, const Trace& trace);

  // Adds the departures of the path's steps from that one up to before the end.
  void plan_steps(Plan& plan, Index from, Index end) const;

  // Whether the step was run from the point, or is to be.
  bool is_known(Index depth, const Step& step) const;

 protected:
  Backtracking(const Backtracking&) = default;
  Backtracking& operator=(const Backtracking&) = default;

  // What a bound on preemptions and the flipping of races do otherwise (bounded_dpor.hpp, race_flip.hpp).
  virtual void add_alternatives(Index depth);
  virtual void reverse_races(Index late);
  // The same for the operation of a thread that did not come to it: it waits in vain, or the execution ended.
  virtual void reverse_races_of_last(Index) {}
  // The later step, taken as is given, is to come before the earlier one.
  virtual void insert(Index late, Index early, const Step& taken);
  // Every thread is to be tried there.
  virtual void add_all(Index depth);

  // Which steps behind the early one, that do not happen after it, the late step needs, were it to come
  // before the early one; whether there are any.
  bool find_needed(Index early, Index late);
  void apply(Index late, std::span<const Reversals::Found> found);
  void add_step(Index depth, const StepView& step);
  // A step that was run there is run again with nothing asleep, unless it was, or is to be.
  void run_again(Index depth, PlannedStep step, bool& awake);
  void add_report(Index depth, std::span<const StepView> steps);

  Path path_;
  WakeupTrees trees_;
  Reversals reversals_;
  Conditions conditions_;
  // Whether Algorithm 2 alone decides what is run. Not so where something was run, or is to be, though what
  // was run may cover it: then a class may come twice.
  bool runs_none_twice_;
  Index branch_ = 0;  // the point from which on the running execution differs from the last one

  // A race whose reversal is covered with the tail of the last execution, and perhaps not with another one.
  struct Proviso {
    Index late;
    Index early;
    Index last;  // of the reversal's steps
  };
  std::vector<Proviso> provisos_;

  // Of a delegate (dpor_split.cpp): the points before the floor belong to the search that delegated this
  // subtree. It is told of reversals there: one of the steps is to be run from that point.
  Index floor_ = 0;
  struct Report {
    Index depth;
    bool is_first;  // the other steps of the report follow
    PlannedStep step;
  };
  std::vector<Report> reports_;

 private:
  // What covers a reversal: nothing; something covers this one; or all of the race, whatever their tail.
  enum class Cover : std::uint8_t { none, this_one, all };

  // What an algorithm inserts for a reversal that no sleeping step covers. The function gives whether all
  // reversals of the race are covered then; turned: the reversed step.
  struct Insertion {
    bool is_whole;  // if so, a sleeping step also covers a reversal that merely commutes with it
    bool (Backtracking::*insert)(Index depth, const StepView& turned, Sequence& reversal);
  };
  static const Insertion kInsertions[];
  bool insert_thread(Index depth, const StepView& turned, Sequence& reversal);
  bool insert_initial(Index depth, const StepView& turned, Sequence& reversal);
  bool insert_sequence(Index depth, const StepView& turned, Sequence& reversal);
  bool report(Index depth, const Sequence& reversal);

  void add_attempts(Index late, Index end, std::vector<Attempt>& attempts);
  void find_alternatives(Index depth, const Trace& trace);
  void recheck_races();
  bool has_another_tail(const Proviso& proviso) const;
  void reverse_end(const Trace& trace);
  void reverse_pending(const Trace& trace);
  PlannedStep reversed(Index late, Index early, const Step& taken) const;
  bool happens_after(Index early, Index i) const;
  static Cover covers(const StepView& run, bool stops, const Sequence& reversal, bool is_whole);
  Cover cover_by_sleepers(Index depth, const Sequence& reversal, bool cut_off) const;
  Cover cover_by_first_steps(Index depth, const Sequence& reversal) const;

  const Insertion* insertion_;
  // Kept for their memory.
  std::vector<std::uint8_t> needed_;  // find_needed(): whether, from the early step on
  PartialOrder::Past past_;           // find_needed(): those that are
  Sequence sequence_;                 // insert()
  std::vector<Index> rechecked_;      // recheck_races()
};

}  // namespace thrum
