// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stateful search: every state of a program that can be reached, each visited once (ZING; Musuvathi and
// Qadeer, PLDI 2007, Algorithm 1).
//
//   dfs   depth first; perhaps within a bound
//   icb   depth first within 0 preemptions, then 1, and so on: the first bug of its kind has the fewest
//   bfs   breadth first: the first bug of its kind has the shortest schedule
//
// dfs without a bound also finds livelocks: it completes the strongly connected components of the states one
// after the other (livelocks.hpp).
//
// Without a bound, a state is visited once. Within a bound of preemptions, what can still be reached depends
// on how many are left. There the table holds (state, thread to run) with the most that were left once the
// switch to it was paid, and a pair is passed over only if as many were left before. Within a bound of steps,
// a state is passed over only if as many steps were left before.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "stateful/closed_ranges.hpp"
#include "stateful/state_program.hpp"
#include "stateful/visited_table.hpp"

namespace thrum {

struct StatefulSettings {
  enum class Order : std::uint8_t { dfs, icb, bfs };
  Order order = Order::dfs;
  std::optional<std::uint32_t> preemptions = {};  // of one schedule; not with bfs
  std::optional<std::uint32_t> depth = {};        // steps of one schedule; not with icb or preemptions
  bool races = true;                              // are a bug
  bool stops_at_bug = false;
  std::uint64_t memory = ~std::uint64_t{0};  // bytes for what was visited
  // Asked again and again: whether the search is to stop now.
  std::function<bool()> has_to_stop = [] { return false; };
  // Called once in each state in which executions end, finished or in a deadlock.
  std::function<void()> at_end = [] {};
  // Called where an execution ends in the middle of a step: by a failure, a false assumption or a limit.
  std::function<void()> at_cut_off = [] {};
};

struct StateBug {
  Failure failure;
  std::vector<Option> schedule;  // from the first choice on
  std::uint32_t cost = 0;        // of this schedule: preemptions, and early timeouts
  // Of a livelock: its options from there on lead back to where they begin.
  std::optional<std::size_t> round = {};
  // A livelock that other schedules leave: who takes it for a bug has to say so. The search goes on behind
  // it.
  bool is_in_lockstep = false;
};

struct StateFindings {
  struct Bound {
    std::uint32_t preemptions = 0;
    std::uint64_t states = 0;  // that can be reached within it
    std::uint64_t steps = 0;   // done within it
  };

  enum class Stopped : std::uint8_t { no, by_bug, by_memory, from_outside };

  std::uint64_t states = 0;  // different ones, ends of executions among them
  std::uint64_t ends = 0;    // states in which executions end, finished or in a deadlock
  std::uint64_t steps = 0;
  std::uint64_t depth = 0;  // the most steps of a schedule
  // The same, depth first: of those that may have to wait; and of preemptions.
  std::uint64_t blocking = 0;
  std::uint32_t preemptions = 0;
  std::uint64_t bytes = 0;         // for what was visited, at most
  double expected_collisions = 0;  // of keys, each of which may hide a state
  std::vector<StateBug> bugs;      // each once, by the schedule that cost least
  std::vector<Bound> bounds;       // icb: those that were completed
  Stopped stopped = Stopped::no;
  // Whether livelocks were looked for, as far as states were visited; and in how many components that was too
  // much for those in lockstep.
  bool sought_livelocks = false;
  std::uint64_t unsought_lockstep = 0;
  bool is_cut = false;  // a bound has excluded something, or an execution did not come to its end

  bool is_complete() const { return stopped == Stopped::no && !is_cut; }
};

class StateSearch {
 public:
  // program must outlive it.
  StateSearch(StateProgram& program, StatefulSettings settings);

  StateFindings run();

  // Within a callback: how far it is.
  struct SoFar {
    std::uint64_t states = 0;
    std::uint64_t depth = 0;                  // of the present schedule
    std::uint64_t bytes = 0;                  // for what was visited
    std::optional<std::uint32_t> bound = {};  // icb
  };
  SoFar so_far() const;
  // Within a callback: from the first choice to where the program stands.
  std::vector<Option> schedule() const;

 private:
  using Order = StatefulSettings::Order;
  using Stopped = StateFindings::Stopped;
  static constexpr std::uint32_t kNoNumber = ~std::uint32_t{0};

  // What is known of the states that can be reached from a level, and that belong to its component for all
  // that is known.
  struct Component {
    std::uint32_t low = kNoNumber;  // the lowest number of an open state to which a step leads
    bool leads_out = false;         // of the component, or to an end
    StateStep traits;               // of the steps in it
  };

  // A state of the present schedule.
  struct Level {
    StateProgram::Mark mark = 0;
    std::size_t options = 0;  // where its own begin, in options_
    std::size_t taken = 0;    // options taken so far; the last one leads to the next level
    ChoicePoint point;
    StateKey key;                      // of a choice among threads
    std::uint32_t left = 0;            // of the bound
    std::uint32_t cost = 0;            // so far
    std::uint32_t blocking = 0;        // steps so far that may have to wait
    std::uint32_t number = kNoNumber;  // of the state, if livelocks are looked for and it has a key
    StateStep traits;                  // of the step that led here
    Component component;
  };

  // A state found breadth first: how to get there.
  struct Node {
    std::uint32_t parent = 0;
    Option option;
  };

  // Of the present schedule, breadth first.
  struct Step {
    std::uint32_t node = 0;
    StateProgram::Mark mark = 0;
    std::uint32_t cost = 0;  // up to there
  };

  bool passes_over_pairs() const;
  void explore_by_bounds();
  void explore_depth_first(std::uint32_t bound);
  std::optional<std::uint32_t> left_behind(const Level& level, Option option, std::uint32_t cost);
  std::uint32_t cost_of(const Level& level, std::size_t option) const;
  void arrive(std::uint32_t left, std::uint32_t cost);
  void push_level(StateKey key, std::uint32_t left, std::uint32_t cost);
  void pop_level();

  bool looks_for_livelocks() const;
  void lead_to(std::uint32_t number);
  void look_for_livelock(const Level& root);

  void explore_breadth_first();
  void take(std::uint32_t node, Option option);
  void step_to(std::uint32_t node);
  void go_to(std::uint32_t node);

  bool is_to_go_on(std::uint32_t cost, std::uint32_t left, StateKey& key);
  bool has_final_state() const;
  void note_state(std::uint32_t cost);
  void note_cut_off(std::uint32_t cost);
  void note_bug(const Failure& failure, std::uint32_t cost);
  void add_bug(StateBug bug);
  bool has_to_stop();
  std::uint64_t bytes() const;
  std::uint64_t note_bytes();

  StateProgram& program_;
  StatefulSettings settings_;
  StateFindings findings_;
  VisitedTable states_;               // its numbers: how much of a bound of steps was left
  VisitedTable pairs_{true};          // (state, thread to run); its numbers: how many preemptions were left
  std::vector<Level> levels_;         // of the present schedule, depth first
  std::vector<Option> options_;       // of all levels
  ClosedRanges closed_;               // of the states' numbers: their components are complete
  std::uint32_t blocking_ = 0;        // the steps to where the program has arrived that may have to wait
  std::uint32_t number_ = kNoNumber;  // of the state where the program has arrived
  std::vector<Node> nodes_;
  std::vector<Step> path_;              // of the present schedule, breadth first
  bool excludes_ = false;               // the bound has excluded something
  std::uint64_t options_known_ = 0;     // of all states
  std::optional<std::uint32_t> bound_;  // icb: the present one
  bool is_closed_ = false;              // within the last bound each of them was taken
  std::uint64_t polls_ = 0;
};

}  // namespace thrum
