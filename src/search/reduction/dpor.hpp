// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dynamic partial-order reduction: one execution of each class, in place of all its interleavings.
//
// The idea. Run one execution to its end. Two of its steps race where the order of nothing else holds them in
// theirs. Then there is an execution in which the later one comes first: what had been run before the
// earlier one, then all that does not depend on that, and the later one. Such sequences are put down at the
// point before the earlier step, and run in turn, the deepest first. What was run from a point sleeps in
// its later branches, until a step comes that depends on it: to run it there would come to the same.
//
// Example: thread 1 stores to x, thread 2 loads it, thread 3 stores to y. The first execution runs 1 2 3; the
// only race is that of 1 and 2. Before 1 the sequence 2 3 1... is put down, as "3" belongs to what does not
// depend on 1. Two executions in place of six.
//
// The algorithms differ in what they put down:
//   persistent  (Flanagan, Godefroid, POPL 2005) the thread of the later step where it can go on, else every
//               thread that can; with sleep sets.
//   source      (Abdulla, Aronis, Jonsson, Sagonas, JACM 2017, Algorithm 1) one thread that can begin the
//               sequence, where none that can is there.
//   optimal     (the same, Algorithm 2) the whole sequence, in a wakeup tree. No execution is run in vain,
//               and no two are of one class, but for what docs/strategies.md names.
//   bounded     (Coons, Musuvathi, McKinley, OOPSLA 2013) as persistent, without sleep sets, at several
//               points, and with 0 preemptions, then 1, 2, ... (dpor_bound.cpp).
// What is put down for a race: dpor_races.cpp. How several workers share a search: dpor_split.cpp.
//
// Where we differ: what a step does of its own will (a value, the waiter that a signal wakes, a timeout) are
// steps that exclude each other, and all are run, one right behind the other. A step that ends the execution
// by a bug is run again where nothing else is left, since what the others would have done behind it was not
// seen.
//
// And races are looked for where the later step stands behind the branch, while Algorithm 2 looks at all of
// each execution. The others were seen when their later step was first run. The sequence was the same then up
// to that step, and may go on otherwise now. Where it is led through the wakeup tree up to that step, or to a
// leaf, by what all have in common, and nothing that waits beside that could come first for another tail, or
// where what sleeps begins what they have in common, the same stands for all tails: the proof of Algorithm 2
// asks of what is put down only that it was led so, and holds the late step. Where not, the race is looked at
// again in each execution that goes on otherwise (Proviso).
//
// Tested by reduction_test.cpp, against the brute-force oracle, and by reference_dpor_test.cpp, against
// Algorithm 2 as the paper prints it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "order/inner_choices.hpp"
#include "order/partial_order.hpp"
#include "order/reversal.hpp"
#include "search/reduction/reports.hpp"
#include "search/reduction/wakeup_tree.hpp"
#include "search/strategy.hpp"

namespace thrum {

class Dpor : public Strategy, public Advisor, public Divisible, public Durable, public Reporting {
 public:
  enum class Algorithm : std::uint8_t { persistent, source, optimal, bounded };

  // limit: of preemptions, where bounded; nothing: none.
  explicit Dpor(Algorithm algorithm, std::optional<std::uint32_t> limit = {})
      : algorithm_(algorithm), limit_(limit) {}

  bool next(Plan& plan) override;
  Wanted wanted() const override { return Wanted::new_events(known_departures_); }
  Advisor* advisor() override { return asleep_.empty() ? nullptr : this; }
  Advice at_point(const View& view) override;
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
  const PartialOrder* last_order() const override { return &order_; }

  // Executions that were stopped because everything that could go on was asleep.
  std::uint64_t blocked() const { return blocked_; }

  // Whether a plan could not be followed where it was no guess that it can. Every option of the branch is
  // tried then; but what loops wait for and signals apart, the search is wrong, or the program does what is
  // not seen.
  bool is_lost() const { return lost_; }

  // So many steps of the last execution were as in the one before, and are not in its trace.
  PartialOrder::Index kept() const { return branch_; }

 protected:
  Dpor(const Dpor&) = default;
  using Index = PartialOrder::Index;
  struct Sleeper {
    PlannedStep planned;
    bool stops = false;  // the execution ended with the step, by a bug
    bool anew = false;   // nothing slept when it was run, or it is to be run so
    // It covers only sequences that contain it, as in Algorithm 1 (dpor_split.cpp).
    bool weak = false;
  };
  static constexpr std::uint32_t kNoChoice = 0xffffffff;
  // The state before a step of the path, and the step.
  struct Point {
    Step step;
    ChoiceKey key;
    bool by_default = false;  // the plan need not say it
    bool stops = false;       // the execution ended with the step, by a bug
    bool creates = false;     // these two as PlannedStep
    bool alternative = false;
    bool is_guess = false;  // whether it can be taken there was not known
    Foe foe;
    std::uint32_t events_after = 0;    // of its thread: the key of the choice that follows
    std::uint32_t event = 0;           // its place in the last trace
    std::uint32_t choice = kNoChoice;  // likewise of the choice before it; kNoChoice: it had no alternative
    bool anew = false;                 // as of Sleeper
    bool is_void = false;              // it could not be taken after all
    bool has_chances = false;          // some option is taken by something else than its thread's running
    bool free_to_leave = false;        // to run another thread than the one before costs nothing
    std::uint32_t cost_before = 0;     // where there are several options
    std::uint32_t inner_begin = 0;     // the choices in its middle
    std::uint32_t inner_count = 0;
    std::uint32_t options_begin = 0;
    std::uint32_t options_count = 0;
    std::uint32_t sleepers_begin = 0;
    std::uint32_t sleepers_count = 0;
    std::uint32_t branches_run = 0;
    // What is to be run there besides. Before the floor: steps that others are to run, each by itself.
    WakeupTrees::Branches branches;
    // put_down_as_it_came(): the steps from here to that one, as far as they do not depend on this one, stand
    // in the tree up to that node; kNone: not known.
    WakeupTrees::Node walked = WakeupTrees::kNone;
    Index walked_to = 0;
    bool walked_past = false;  // others wait there before some of those
  };

  // A subtree that another worker explores: below the step that was being run at that point.
  struct Delegation {
    Index depth = 0;
    std::uint32_t sleeper = 0;  // which of the point's sleepers that step is
    friend bool operator==(const Delegation&, const Delegation&) = default;
  };

  // A race for which what is run, or was, stands as the execution went on behind it, and perhaps not
  // otherwise.
  struct Proviso {
    Index late;
    Index early;
    Index last;  // of the sequence's steps
  };

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

  void backtrack();
  Index first_own() const;
  void run_anew(Index depth, PlannedStep step, bool& anew);
  void truncate(Index depth);
  bool has_branch_left();
  void take_branch();
  void wake_all(Index depth);
  static void plan_step(Point& point, const PlannedStep& planned);
  // How far an execution has been read: places in its trace, and steps.
  struct Reading {
    std::size_t event = 0;
    std::size_t choice = 0;
    std::size_t watch = 0;
    Index depth = 0;
  };
  void read(const Trace& trace);
  void read_on(const Trace& trace, Reading& reading);
  // A step has been read, and who slept before it is known so far.
  virtual void meet(Index) {}
  void find_branches(const Trace& trace);
  static ChoiceKey first_key(const Trace& trace);
  void read_choices(const Trace& trace, Point& point, std::size_t& choice, std::size_t at);
  void fall_asleep(Index depth);
  void put_to_sleep(std::span<const Sleeper> sleepers);
  void put_alternatives(Index depth);
  void find_alternatives(Index depth, const Trace& trace);
  bool is_known(Index depth, const Step& step) const;
  bool sleeps(Index depth, const Step& step) const;
  bool has_weak(Index depth) const;
  void reverse_races(Index late);
  void reverse_races_anew();
  bool goes_on_otherwise(const Proviso& proviso) const;
  void reverse_end(const Trace& trace);
  void reverse_pending(const Trace& trace);
  bool is_option(Index depth, const Option& option) const;
  void reverse(Index late, const Reversal& turned);
  void reverse(Index late, Index early);
  void put_timeout(Index late, Index rival);
  PlannedStep turned_round(Index late, Index early, const Step& taken) const;
  void put_down(Index late, Index early, const Step& taken);
  bool put_down_as_it_came(Index early, Index late, const Step& taken);
  bool is_left_out(Index early, Index i) const;
  bool may_come_first(const StepView& step, Index from, Index early, Index late, const Step& taken,
                      std::optional<PlannedStep>& turned) const;
  void reverse_unsure(Index late, Index rival);
  void reverse_chance(Index late, Index rival);
  bool needs_some(Index early, Index late, Index from) const;
  void find_needed(Index early, Index late);
  // What is run, or was, stands for a sequence: for none; for this one; for all that have the same race.
  enum class StandsFor : std::uint8_t { none, this_one, all };
  static StandsFor comes_to(const Sequence& sequence, const StepView& run, bool stops, bool is_whole);
  StandsFor is_asleep(Index depth, const Sequence& sequence, bool cut_off) const;
  bool put_sequence(Index depth, Sequence& sequence);
  bool report(Index depth, const Sequence& sequence);
  StandsFor begins_with(const WakeupTrees::Branches& branches, const Sequence& sequence) const;
  void add_thread(Index depth, const StepView& turned, const StepView& first);
  void add_all(Index depth);
  void add_step(Index depth, const StepView& step);
  void accept(Index depth, std::span<const StepView> steps);
  bool is_explored(Index depth, const StepView& step, bool is_first) const;
  void keep_reports_only();
  void take_foe(const Foe& foe, const Delegation& of);
  void save_shared(ByteWriter& out) const;
  void load_shared(ByteReader& in);
  Progress along_path() const;
  bool begin_next_bound();
  void find_conflicts(Index late);
  void put_within_bound(Index depth, const Option& option);
  void put_if_allowed(Index depth, std::size_t option);
  void put_chances(Index depth);
  void read_costs(const Point& point, const Trace& trace);
  std::uint32_t cost(Index depth, std::size_t option) const;
  StepView planned(Index depth) const;
  std::span<const Option> options(Index depth) const;
  std::span<const Sleeper> sleepers(Index depth) const;

  Algorithm algorithm_;
  std::optional<std::uint32_t> limit_;
  PartialOrder order_;
  WakeupTrees trees_;
  std::vector<Point> path_;
  std::vector<Option> options_;       // of all points of the path
  std::vector<std::uint16_t> costs_;  // of the options, where bounded
  std::vector<Sleeper> sleepers_;     // likewise
  InnerChoices choices_;
  std::vector<Proviso> provisos_;
  Index planned_ = 0;  // so many steps of the running execution were planned
  Index branch_ = 0;   // the point from which on the running execution differs from the last one
  bool begun_ = false;
  bool done_ = false;
  bool lost_ = false;  // a plan could not be followed where nothing was guessed
  std::size_t known_departures_ = 0;
  std::uint64_t blocked_ = 0;
  double progress_ = 0;  // the most that progress() has said
  Share share_;

  // Where several workers share the search.
  Index floor_ = 0;   // the points before belong to the search that delegated this subtree
  Index shared_ = 0;  // at each point before, or below it, a subtree was delegated
  Delegation of_;     // this subtree
  bool waits_ = false;
  std::vector<Delegation> delegated_;  // and not merged yet, by depth
  Reports reports_;                    // of reversals before the floor

  // Where bounded.
  std::uint32_t bound_ = 0;  // of the executions that run now
  bool excluded_ = false;    // something cost more
  std::optional<std::uint32_t> completed_;
  std::vector<Index> conflicts_;  // find_conflicts()

  // While an execution runs.
  std::vector<const Sleeper*> asleep_;  // of sleepers_, which stay where they are
  std::size_t seen_ = 0;                // events of the trace
  std::vector<std::uint8_t> needed_;    // find_needed(): whether, from the early step on
  PartialOrder::Past past_;             // likewise: those that are
  Sequence sequence_;                   // put_down()
  std::vector<Index> anew_;             // reverse_races_anew()
};

}  // namespace thrum
