// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Livelocks of threads that yield: an execution that comes back to an earlier state can repeat the events in
// between for ever (docs/semantics.md, "Loops, fairness, livelock"). It is one if the cycle is fair: each
// thread that could run in it ran, and yielded or let a sleep run out.
//
// Example: each of two threads takes its first lock, tries the second one, gives the first one back if the
// attempt fails, and yields. In lockstep neither ever gets both.
//
// Where a thread arrives at a yield or a sleep, a cheap outline of the state is compared with earlier ones:
// what each thread stands before. Where one repeats, the execution is run again and watched: then each such
// arrival keeps what the threads stand before, their live registers, and a mark of the undo log, by which it
// is known exactly whether each word of the program's memory has its old value (loop_states.hpp).
//
// Choices of values, clock reads, new threads, calls that change what lies outside the program's memory, and
// thrum_progress() are no part of the state: between equal states there is none of them.
#pragma once

#include <cstdint>
#include <vector>

#include "execution/fair_scheduler.hpp"
#include "model/trace.hpp"
#include "vm/loop_states.hpp"

namespace thrum::vm {

class Machine;

class Livelocks {
 public:
  Livelocks(const Machine& machine, LoopStates& states) : machine_(machine), states_(states) {}

  // Executions of another plan begin.
  void begin_plan() { is_watching_ = is_given_up_ = false; }
  // An execution begins.
  void begin() {
    visits_.clear();
    hidden_changes_ = 0;
  }
  // Whether states are compared in this execution.
  bool is_watching() const { return is_watching_; }
  // Something has changed that is no part of the state.
  void note_hidden_change() { ++hidden_changes_; }

  enum class Arrival : std::uint8_t { ordinary, watch, livelock };
  // The running thread has arrived at a yield or a sleep. watch: the execution is to be run again, and
  // watched. livelock: cycle() can repeat for ever.
  Arrival arrive(const Thread& running, const FairScheduler& fair, const Trace& trace);
  Lasso cycle() const { return cycle_; }

 private:
  static constexpr std::size_t kVisitsMax = 4096;
  static constexpr std::size_t kEventsMax = 1 << 15;  // of a watched execution

  struct Visit {
    std::vector<std::uint64_t> state;
    std::uint32_t choices;
    std::uint32_t events;
    Mark mark;
  };
  void add_outline(const Thread& running, std::vector<std::uint64_t>& state) const;
  bool add_threads(std::vector<std::uint64_t>& state);

  const Machine& machine_;
  LoopStates& states_;
  bool is_watching_ = false;
  bool is_given_up_ = false;
  std::uint64_t hidden_changes_ = 0;
  std::vector<Visit> visits_;
  Lasso cycle_;
};

}  // namespace thrum::vm
