// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All states that executions of what the trees know come to, one after the other. Where they are few, that is
// faster than a solver: it shows all at once that something can be reached, and if nothing new is, that
// nothing can. The same is done about deadlocks and misuse of locks. Equal states are looked at once,
// whatever led there. Of steps that can be done in any order, one order is looked at: in each state, a set of
// threads such that nobody else does anything that depends on their next steps, before one of them has been
// done (persistent sets: Godefroid, Partial-order methods for the verification of concurrent systems, 1996,
// chapter 4). No state comes twice in an execution, so nothing is put off for ever. If there are data
// races, what is found need not be all; so races have to be looked for as well. That is a second exploration.
// Its states say besides who knows of some access (race_tracking.hpp).
//
// States are compared by digests of 128 bits.
//
// Tested by tests/causality/causality_test.cpp, against the solver and against brute force.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "causality/race_candidates.hpp"
#include "causality/race_tracking.hpp"
#include "causality/step_footprints.hpp"
#include "causality/tree_machine.hpp"
#include "support/digest.hpp"
#include "support/interrupt.hpp"
#include "support/random.hpp"

namespace thrum {

class TreeStates {
 public:
  using Node = ThreadTrees::Node;
  struct Found {
    Node node = ThreadTrees::kNone;               // the target, or the misuse
    std::vector<Node> steps{};                    // that lead there, in their order
    std::vector<std::pair<Node, Node>> chosen{};  // signals, and the waiter that each wakes of several
    std::vector<ThreadId> woken{};                // by step: that waiter's thread

    Node chosen_by(Node signal) const;
  };
  // A data race, or a use of freed memory: in the last one of the steps.
  struct Race {
    Node first = ThreadTrees::kNone;
    Node second = ThreadTrees::kNone;
    bool is_use_of_freed = false;
    Found found{};
  };
  // What is known, and not looked for.
  struct Known {
    std::function<bool(Node)> is_open;  // whether the target is looked for
    const std::vector<Node>* misuses = nullptr;
    const std::set<std::set<std::uint64_t>>* deadlocks = nullptr;  // by places in the code
    const std::set<std::vector<Node>>* in_vain = nullptr;          // by where threads are
    const Interrupt* interrupt = nullptr;                          // then that were too many
  };
  enum class Answer : std::uint8_t {
    all,          // that is all
    too_many,     // there are more states
    not_covered,  // something is in the trees that this does not know
  };

  // Both must outlive it.
  TreeStates(const ThreadTrees& trees, const InitialState& initial)
      : trees_(trees), machine_(trees, initial), footprints_(trees, machine_) {}

  Answer explore(std::uint64_t states_max, const Known& known);
  // Whether some of the candidates are races or uses of freed memory. `all`: race() is one, or there is none.
  // REQUIRES: explore() gave `all`, and no news
  Answer find_race(std::uint64_t states_max, const Known& known, const RaceCandidates& candidates);
  std::optional<Race>& race() { return race_; }
  // What the last exploration has found: each target once, and each deadlock.
  std::vector<Found>& news() { return news_; }
  std::vector<Found>& misuses() { return misuses_; }
  std::vector<Found>& deadlocks() { return deadlocks_; }
  // Whether what was found is new still.
  bool is_new(const Found& found);
  std::uint64_t states() const { return visited_.size(); }

  // The trees begin again.
  void forget() {
    machine_.forget();
    news_.clear();
    misuses_.clear();
    deadlocks_.clear();
    race_.reset();
  }

 private:
  using State = TreeMachine::State;
  struct Move {
    Node operation = ThreadTrees::kNone;
    ThreadId woken = kNoThread;
    Node waiter = ThreadTrees::kNone;  // where that one waits, if there are several
    RaceTracking::Begin begin{};       // what is tracked from this step on
  };
  struct Frame {
    State state{};
    std::vector<Move> moves{};
    std::size_t next = 0;
  };
  struct LowHalf {
    std::size_t operator()(const WideDigest& digest) const { return digest.low; }
  };

  bool begin(const Known& known, bool sections_depend);
  bool is_interrupted() const;
  void enter(Frame& frame);
  void add_moves(Frame& frame);
  void add_moves_of(ThreadId thread, Frame& frame);
  bool choose_threads(const State& state);
  bool try_from(ThreadId first, const State& state);
  bool depends_on(ThreadId thread, ThreadId other, const State& state) const;
  void note_news(Node target);
  void note_misuse(Node operation);
  void note_path(Node target, std::vector<Found>& found);
  void note_stuck(const State& state);
  // Where a race is looked for.
  Answer find_race_from(std::size_t place, std::uint64_t states_max);
  bool take_move(std::size_t depth);
  bool come_to(Frame& behind, TreeMachine::Went went, const RaceTracking::Begin& begin);
  bool note_race();
  RaceTracking::Begin where_tracking_began() const;
  bool would_find_the_same(const State& state, Node wait) const;

  const ThreadTrees& trees_;
  TreeMachine machine_;
  StepFootprints footprints_;
  const Known* known_ = nullptr;
  Random random_{1};  // another order each time, where there are too many
  std::unordered_set<WideDigest, LowHalf> visited_;
  std::vector<Frame> frames_;
  std::size_t depth_ = 0;  // frames that are in use
  std::unordered_set<Node> found_;
  std::set<std::set<std::uint64_t>> found_deadlocks_;
  std::vector<Found> news_;
  std::vector<Found> misuses_;
  std::vector<Found> deadlocks_;
  RaceTracking* tracking_ = nullptr;  // where a race is looked for
  std::vector<RaceTracking::Begin> new_begins_;
  std::vector<RaceTracking::Begin> begins_;  // what is tracked from the start on
  std::size_t begun_ = 0;                    // the one that is
  std::optional<Race> race_;
  // Of the state that is entered.
  std::vector<ThreadId> alive_;
  std::vector<ThreadId> enabled_;
  std::vector<ThreadId> chosen_;
  std::vector<bool> is_enabled_;  // by thread
  std::vector<ThreadId> sleepers_;
};

}  // namespace thrum
