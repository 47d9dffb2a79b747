// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dynamic partial-order reduction, depth first: one execution of each class, in place of all its
// interleavings (JACM 2017, Algorithms 1 and 2; docs/reduction.md leads from the papers to the files).
//
// The idea. Run one execution to its end. Two of its steps race if they depend on each other and nothing else
// orders them. Then there is an execution in which the later step comes first: all steps before the earlier
// one, then all that does not happen after it, and the later one. That sequence is the reversal of the race.
// It is inserted at the point before the earlier step (backtracking.hpp), and explored from there, the
// deepest point first. A step whose subtree was explored sleeps in later branches of its point, until a step
// depends on it: to run it there would be redundant.
//
// Example: thread 1 stores to x, thread 2 loads it, thread 3 stores to y. The first execution runs 1 2 3; the
// only race is that of 1 and 2. The reversal 2 3 is inserted before 1; it has 3, which does not happen after
// 1. Two executions in place of six.
#pragma once

#include <cstdint>
#include <vector>

#include "search/reduction/backtracking.hpp"
#include "search/reduction/sleep_advisor.hpp"
#include "search/strategy.hpp"

namespace thrum {

class Dpor : public Strategy, public Divisible, public Durable, public Reporting, protected Backtracking {
 public:
  using Algorithm = Backtracking::Algorithm;

  explicit Dpor(Algorithm algorithm, Rounds rounds = Rounds::repeat)
      : Backtracking(algorithm), rounds_(rounds) {}

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
  Guarantee guarantee() const override { return {done_, done_, {}, {}}; }
  Progress progress() override;
  std::optional<double> estimate() const override;
  const PartialOrder* last_order() const override { return &path_.order(); }
  bool has_run_none_twice() const override { return runs_none_twice_; }
  bool repeats() const override { return repeats_; }

  // Whether a plan could not be followed where it was no guess that it can. What loops wait for and signals
  // apart, the search is wrong, or the program does what is not seen.
  bool is_lost() const { return lost_; }

  using Backtracking::trees;  // for tests

  // So many steps of the last execution were as in the one before, and are not in its trace.
  Path::Index kept() const { return branch_; }

 protected:
  Dpor(Algorithm algorithm, Rounds rounds, SleepAdvisor::Otherwise otherwise)
      : Backtracking(algorithm), rounds_(rounds), asleep_(otherwise) {}
  Dpor(const Dpor&) = default;

  // A subtree that another worker explores: below the step that was being run at that point.
  struct Delegation {
    Index depth = 0;
    std::uint32_t sleeper = 0;  // which of the point's sleepers that step is
    friend bool operator==(const Delegation&, const Delegation&) = default;
  };

  // What a bound on preemptions and the flipping of races do otherwise (bounded_dpor.hpp, race_flip.hpp).
  virtual std::unique_ptr<Dpor> copy() const { return std::unique_ptr<Dpor>(new Dpor(*this)); }
  // The search is over. Whether it begins again, with an empty path.
  virtual bool begins_again() { return false; }
  // The subtree of the last point's step was explored.
  virtual void end_subtree();
  // What a delegate found the delegated step not to commute with.
  virtual void take_foe(const Foe& foe, const Delegation& of);

  bool is_done() const { return done_; }

 private:
  bool has_branch_left();
  void take_branch();
  void backtrack();
  Index first_own() const;
  void read(const Trace& trace);
  Progress along_path() const;

  // dpor_split.cpp
  void accept(Index depth, std::span<const StepView> steps);
  bool is_explored(Index depth, const StepView& step, bool is_first) const;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.path_, self.trees_, self.provisos_, self.branch_, self.begun_, self.done_,
                    self.lost_, self.is_open_, self.conditions_, self.progress_, self.share_, self.floor_,
                    self.of_.depth, self.of_.sleeper, self.delegated_, self.reports_, self.runs_none_twice_);
  }

  Rounds rounds_;
  SleepAdvisor asleep_;
  bool begun_ = false;
  bool done_ = false;
  bool lost_ = false;  // a plan could not be followed where nothing was guessed
  std::size_t known_departures_ = 0;

  // Attempts that are to be made before the branches of the last execution are found; behind them, it runs
  // again.
  std::vector<Attempt> attempts_;
  bool is_open_ = false;  // its branches were not found yet
  bool repeats_ = false;  // the running execution is an attempt, or runs again

  // Of progress(), where several workers share the search.
  struct Share {
    double whole = 1;  // of the search, with what was given away since
    double given = 0;  // and was not merged yet
    double begun = 0;  // how far along its path it was when it was split off

    // How much of the search it is to have come so far along the path.
    double of(double along_path) const {
      return begun < 1 ? whole * (along_path - begun) / (1 - begun) : whole;
    }
    template <typename Self>
    static auto members(Self& self) {
      return std::tie(self.whole, self.given, self.begun);
    }
  };
  double progress_ = 0;  // the most that progress() has said
  Share share_;

  // Where several workers share the search (dpor_split.cpp).
  Delegation of_;  // this subtree
  bool waits_ = false;
  std::vector<Delegation> delegated_;  // and not merged yet, by depth
};

}  // namespace thrum
