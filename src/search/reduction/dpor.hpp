// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dynamic partial-order reduction: one execution of each class, in place of all its interleavings.
//
// The idea. Run one execution to its end. Two of its steps race if they depend on each other and nothing else
// orders them. Then there is an execution in which the later step comes first: all steps before the earlier
// one, then all that does not happen after it, and the later one. That sequence is the reversal of the race.
// It is inserted at the point before the earlier step, and explored from there, the deepest point first. A
// step whose subtree was explored sleeps in later branches of its point, until a step depends on it: to run
// it there would be redundant.
//
// Example: thread 1 stores to x, thread 2 loads it, thread 3 stores to y. The first execution runs 1 2 3; the
// only race is that of 1 and 2. The reversal 2 3 is inserted before 1; it has 3, which does not happen after
// 1. Two executions in place of six.
//
// The algorithms differ in what they insert:
//   persistent  (Flanagan, Godefroid, POPL 2005) the thread of the later step if it can go on at the point,
//               else every thread that can; with sleep sets.
//   source      (Abdulla, Aronis, Jonsson, Sagonas, JACM 2017, Algorithm 1) one thread that can begin the
//               reversal, unless a branch of such a thread is there.
//   optimal     (the same, Algorithm 2) the whole reversal, in a wakeup tree. No execution is redundant, but
//               for what docs/strategies.md names.
//
// Where to read on. path.hpp: the points, their sleep sets and branches. reversals.hpp: which races are
// reversed, and where. dpor_races.cpp: what is inserted for a reversal. wakeup_tree.hpp: the insertion
// itself. sleep_advisor.hpp: sleep sets while an execution runs. dpor_split.cpp: several workers.
// bounded_dpor.hpp: a bound on preemptions. docs/reduction.md has the map from the papers to the files.
//
// Where we differ from the papers.
//   - What a step chooses by itself (a value, the waiter that a signal wakes, a timeout) are steps that
//     exclude each other. All are run, one right behind the other.
//   - A step that ends the execution by a bug is run again where nothing else is left, since what the others
//     would have done behind it was not seen.
//   - Algorithm 2 looks at all races of each execution. We look at a race when its later step is first run.
//   The
//     next executions mostly have the same steps up to there and go on otherwise, so that the reversal has
//     another tail. They need no second look if what the reversals have in common (the steps up to the
//     reversed one) alone decides where they go: it was followed in the wakeup tree to its end or to a leaf,
//     and no other branch on the way could come first for another tail; or a sleeping step covers it. Else
//     the race is looked at again (Proviso). This argument is ours and not the paper's.
//
// Tested by reduction_test.cpp, against the brute-force oracle, and by reference_dpor_test.cpp, against
// Algorithm 2 as the paper prints it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "search/reduction/path.hpp"
#include "search/reduction/reports.hpp"
#include "search/reduction/reversals.hpp"
#include "search/reduction/sleep_advisor.hpp"
#include "search/reduction/wakeup_tree.hpp"
#include "search/strategy.hpp"

namespace thrum {

class Dpor : public Strategy, public Divisible, public Durable, public Reporting {
 public:
  enum class Algorithm : std::uint8_t { persistent, source, optimal };

  explicit Dpor(Algorithm algorithm) : algorithm_(algorithm) {}

  bool next(Plan& plan) override;
  Wanted wanted() const override { return Wanted::new_events(known_departures_); }
  Advisor* advisor() override { return asleep_.empty() ? nullptr : &asleep_; }
  void learn(const Plan& plan, const Trace& trace) override;
  Divisible* divisible() override { return this; }
  Durable* durable() override { return this; }
  Reporting& reporting() override { return *this; }
  std::unique_ptr<Strategy> split() override;
  bool waits() const override { return waits_; }
  void merge(Strategy& other) override;
  // load() gives false also where other threads have the ids that those had.
  void save(ByteWriter& out, const ThreadNames& names) const override;
  bool load(ByteReader& in, ThreadNames& names) override;
  bool is_small() const override { return trees_.live() < (1 << 16); }
  bool keeps_addresses() const override { return true; }
  Guarantee guarantee() const override;
  Progress progress() override;
  const PartialOrder* last_order() const override { return &path_.order(); }

  // Executions that were stopped because everything that could go on was asleep.
  std::uint64_t blocked() const { return blocked_; }

  // Whether a plan could not be followed where it was no guess that it can. Every option of the branch is
  // tried then; but what loops wait for and signals apart, the search is wrong, or the program does what is
  // not seen.
  bool is_lost() const { return lost_; }

  // So many steps of the last execution were as in the one before, and are not in its trace.
  Path::Index kept() const { return branch_; }

 protected:
  Dpor(const Dpor&) = default;
  using Index = Path::Index;
  using Point = Path::Point;
  using Sleeper = Path::Sleeper;

  // A subtree that another worker explores: below the step that was being run at that point.
  struct Delegation {
    Index depth = 0;
    std::uint32_t sleeper = 0;  // which of the point's sleepers that step is
    friend bool operator==(const Delegation&, const Delegation&) = default;
  };

  // What a bound on preemptions does otherwise (bounded_dpor.hpp).
  virtual std::unique_ptr<Dpor> copy() const { return std::unique_ptr<Dpor>(new Dpor(*this)); }
  // The search is over. Whether it begins again, with an empty path.
  virtual bool begins_again() { return false; }
  // The subtree of the last point's step was explored.
  virtual void end_subtree();
  virtual void add_alternatives(Index depth);
  virtual void reverse_races(Index late);
  // The same for the operation of a thread that did not come to it: it waits in vain, or the execution ended.
  virtual void reverse_races_of_last(Index) {}
  // The later step, taken as is given, is to come before the earlier one.
  virtual void insert(Index late, Index early, const Step& taken);
  // Every thread is to be tried there.
  virtual void add_all(Index depth);
  // What a delegate found the delegated step not to commute with.
  virtual void take_foe(const Foe& foe, const Delegation& of);

  void find_branches(const Trace& trace);
  void apply(Index late, std::span<const Reversals::Found> found);
  bool is_known(Index depth, const Step& step) const;
  void add_step(Index depth, const StepView& step);
  void truncate(Index depth);

  Path path_;
  WakeupTrees trees_;  // the branches of all points
  Reversals reversals_;
  SleepAdvisor asleep_;
  Index branch_ = 0;  // the point from which on the running execution differs from the last one
  bool begun_ = false;
  bool done_ = false;
  std::size_t known_departures_ = 0;
  std::uint64_t blocked_ = 0;

  // Of progress(), where several workers share the search.
  struct Share {
    double whole = 1;  // of the search, with what was given away since
    double given = 0;  // and was not merged yet
    double begun = 0;  // how far along its path it was when it was split off

    // How much of the search it is to have come so far along the path.
    double of(double along_path) const {
      return begun < 1 ? whole * (along_path - begun) / (1 - begun) : whole;
    }
  };
  double progress_ = 0;  // the most that progress() has said
  Share share_;

 private:
  // A race whose reversal is covered with the tail of the last execution, and perhaps not with another one.
  struct Proviso {
    Index late;
    Index early;
    Index last;  // of the reversal's steps
  };

  // What covers a reversal: nothing; something covers this one; or all of the race, whatever their tail.
  enum class Cover : std::uint8_t { none, this_one, all };

  bool has_branch_left();
  void take_branch();
  void backtrack();
  Index first_own() const;
  void wake_all(Index depth);
  void read(const Trace& trace);
  void find_alternatives(Index depth, const Trace& trace);
  bool has_weak(Index depth) const;
  Progress along_path() const;

  // dpor_races.cpp
  void reverse_end(const Trace& trace);
  void reverse_pending(const Trace& trace);
  void recheck_races();
  bool has_another_tail(const Proviso& proviso) const;
  PlannedStep reversed(Index late, Index early, const Step& taken) const;
  bool insert_along_path(Index early, Index late, const Step& taken);
  bool insert_sequence(Index depth, Sequence& sequence);
  bool happens_after(Index early, Index i) const;
  bool may_come_first(const StepView& step, Index from, Index early, Index late, const Step& taken,
                      std::optional<PlannedStep>& turned) const;
  bool needs_some(Index early, Index late, Index from) const;
  void find_needed(Index early, Index late);
  static Cover covers(const StepView& run, bool stops, const Sequence& sequence, bool is_whole);
  Cover cover_by_sleepers(Index depth, const Sequence& sequence, bool cut_off) const;
  Cover cover_by_first_steps(Index depth, const Sequence& sequence) const;
  void add_thread(Index depth, const StepView& turned, const StepView& first);

  // dpor_split.cpp
  bool report(Index depth, const Sequence& sequence);
  void accept(Index depth, std::span<const StepView> steps);
  bool is_explored(Index depth, const StepView& step, bool is_first) const;
  void keep_reports_only();
  void run_anew(Index depth, PlannedStep step, bool& anew);
  void save_shared(ByteWriter& out) const;
  void load_shared(ByteReader& in);

  Algorithm algorithm_;
  std::vector<Proviso> provisos_;
  bool lost_ = false;  // a plan could not be followed where nothing was guessed

  // Where several workers share the search (dpor_split.cpp).
  Index floor_ = 0;   // the points before belong to the search that delegated this subtree
  Index shared_ = 0;  // at each point before, or below it, a subtree was delegated
  Delegation of_;     // this subtree
  bool waits_ = false;
  std::vector<Delegation> delegated_;  // and not merged yet, by depth
  Reports reports_;                    // of reversals before the floor

  // Kept for their memory.
  std::vector<std::uint8_t> needed_;  // find_needed(): whether, from the early step on
  PartialOrder::Past past_;           // find_needed(): those that are
  Sequence sequence_;                 // insert()
  std::vector<Index> rechecked_;      // recheck_races()
};

}  // namespace thrum
