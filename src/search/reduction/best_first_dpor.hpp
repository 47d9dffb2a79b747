// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Best-first search with dynamic partial-order reduction (GAMBIT: Coons, Burckhardt, Musuvathi, PPoPP 2010,
// section 3.3, FindDporBacktrackingPoints): one execution of each class, and those first that a list of
// priorities prefers.
//
// The idea. Run the empty plan. Each race of the execution asks for a thread at the point before its earlier
// step: that is a new plan, the path to that point and then the thread. It gets a priority, by what is known
// of this execution, and waits in the fringe; the best one is run next. A race that is found later may ask
// for a thread at a point that was passed long ago. So the backtrack set of a point is kept as long as some
// plan can pass the point (backtrack_sets.hpp).
//
// Example: threads 1, 2 and 3 write x in turn. The first execution 1 2 3 adds 2 before the first step and 3
// before the second. With the priority `rand` the plan "3 before the second" may run first. It gives 1 3 2,
// and no race that is new. Depth-first search would go on as deep as it can; here the priorities say.
//
// Sleep sets, whatever the order. When a plan is first run, the steps that were run at its point before, the
// owner's own among them, sleep in it and in all that departs from it, until a step depends on them. Steps
// that still wait there do not sleep. So of any two steps at a point one sleeps in the subtree of the other,
// never both, and which one is fixed at that moment. Sleep sets are not stored: an execution is read from its
// beginning, and the backtrack sets on its path give them again.
//
// Where the default step sleeps the strategy advises another one. What departs behind it must do so too;
// hence an execution that was advised is continued by a child that departs there, and so on.
//
// Which steps are inserted is decided by Backtracking with persistent sets, as in Dpor; what differs is the
// order: Dpor keeps one path, this strategy a tree of them.
//
// Awaits (Backtracking::Attempt). What is not known of an await is asked before the branches of an execution
// are found: the attempts run at once, whatever waits in the fringe, since the execution that asks was the
// best one; then it runs again. Where each thread that could go on is to be tried at a point, one may stand
// before an await that has been refused since: its plan cannot be followed, and nothing is lost.
//
// Where we differ from GAMBIT: races are those of the happens-before relation, lock sections are reversed as
// acquisitions, and sleep sets need no memory. And from Dpor (dpor.hpp):
//   - A step that chooses a value or a waiter never sleeps, since what it may choose besides need not have
//     been run yet; so some classes are run more than once.
//   - That a step does not commute with another one may be found when others were run with it asleep
//     (Backtracking::reverse_end). Those run once more.
//
// The memory for backtrack sets counts in the limit of the fringe, and cannot be written to a file: nodes
// from which others depart stay in memory (Fringe::Settings::keeps_inner).
//
// Tested by best_first_dpor_test.cpp and waiting_await_test.cpp, against the brute-force oracle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "search/frontier/fringe.hpp"
#include "search/reduction/backtrack_sets.hpp"
#include "search/reduction/backtracking.hpp"
#include "search/reduction/sleep_advisor.hpp"
#include "search/strategy.hpp"
#include "search/systematic/priorities.hpp"

namespace thrum {

class BestFirstDpor final : public Strategy, public Durable, public Reporting, public Advisor {
 public:
  struct Settings {
    PriorityList priorities;
    std::uint64_t seed = 0;
    Fringe::Settings fringe = {};
    Rounds rounds = Rounds::repeat;
  };

  explicit BestFirstDpor(Settings settings);

  bool next(Plan& plan) override;
  Wanted wanted() const override { return {Wanted::kChoices | Wanted::kEvents, {}, known_departures_}; }
  Advisor* advisor() override { return groups_.empty() || !attempts_.empty() ? nullptr : this; }
  void begin() override;
  Advice at_point(const View& view) override;
  void learn(const Plan& plan, const Trace& trace) override;
  Durable* durable() override { return this; }
  Reporting& reporting() override { return *this; }
  // load() gives false also where other threads have the ids that those had.
  void save(ByteWriter& out, const ThreadNames& names) const override;
  bool load(ByteReader& in, ThreadNames& names) override;
  bool keeps_addresses() const override { return true; }
  Guarantee guarantee() const override;
  std::string problem() const override { return fringe_.problem(); }
  SearchStatistics statistics() const override;
  Progress progress() override { return {fringe_.size(), {}, {}, {}}; }  // the order allows no estimate
  const PartialOrder* last_order() const override { return &path().order(); }
  bool repeats() const override { return repeats_; }

  // Whether an attempt could not be made.
  bool is_lost() const { return is_lost_; }

  // The backtrack sets that are kept, and their bytes.
  const BacktrackSets& sets() const { return sets_; }

 private:
  using Node = Fringe::Node;
  using Set = BacktrackSets::Set;
  using Entry = BacktrackSets::Entry;
  using Index = Path::Index;
  using Point = Path::Point;

  // Departures that belong to one step: its thread, and what it chooses.
  struct Group {
    ChoiceKey key;
    std::size_t end = 0;               // in the plan
    Node top = ExecutionTree::kRoot;   // of its thread's departure
    Node node = ExecutionTree::kRoot;  // that stands for the plan up to its end
    Step step;
  };

  Path& path() { return backtracking_.path(); }
  const Path& path() const { return backtracking_.path(); }
  void find_groups(const Plan& plan);
  void keep_shared(const std::vector<Group>& last);
  void keep_first(Index depth);
  bool has_kept_choices(const Trace& trace) const;
  void rewind();
  void read_on(const Trace& trace);
  void meet(Index depth);
  bool is_at_branch() const { return group_ == groups_.size(); }
  Node owner(Index depth) const;
  Set& set_at(Index depth);
  Entry* taken_at(Index depth);
  void describe(Index depth, Entry& entry);
  void show_known(Index depth);
  void add_advised();
  void push_new(Index depth, const Trace& trace);
  void push_all(Index depth, const Trace& trace);
  void push_one(Index depth, const PlannedStep& planned, const Trace& trace);
  void push_again(Index depth);
  void push_default();
  std::uint64_t key_of(Index depth, const PlannedStep& planned, const Trace& trace, std::uint32_t& cost);
  void plan_of_owner(Index depth);
  Entry& push(Set& set, Node owner, const Step& step, std::uint64_t key, std::uint32_t cost);
  void finish();

  Settings settings_;
  Backtracking backtracking_;  // of the execution that was read last
  SleepAdvisor asleep_;
  Fringe fringe_;
  BacktrackSets sets_;
  TraceAnalysis analysis_;

  // Of the execution that runs.
  Fringe::Waiting running_;
  std::vector<Group> groups_;
  std::size_t known_departures_ = 0;
  Path::Reading reading_;
  bool is_stale_ = false;  // the sleep sets of the path are older than what was learned of its steps
  std::size_t group_ = 0;  // those before were met
  Index at_branch_ = 0;    // the step of the last group
  bool is_met_ = false;    // the step of the last group, in this execution or an attempt before it
  Index read_from_ = 0;    // the steps before are read already
  Path::Reading reads_from_;
  std::size_t first_group_ = 0;
  Node last_node_ = 0;  // of the execution with what was advised
  // Attempts that are to be made before the branches of the execution are found; behind them, it runs again.
  std::vector<Backtracking::Attempt> attempts_;
  bool is_open_ = false;  // its branches were not found yet
  bool repeats_ = false;  // an attempt runs, or the execution again
  bool is_lost_ = false;
  // Of each step of the path: how many groups lie before it, and so who owns its point.
  std::vector<std::uint32_t> groups_before_;

  // Kept for their memory.
  std::vector<Node> lineage_;
  std::vector<Departure> departures_;
  std::vector<PlannedStep> here_;
  Plan owner_plan_;
};

}  // namespace thrum
