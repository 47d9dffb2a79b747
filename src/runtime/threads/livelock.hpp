// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Livelocks of threads that yield: an execution that returns to an earlier state can repeat the events in
// between for ever (docs/semantics.md, "Loops, fairness, livelock").
//
// Whenever a thread arrives at a yield or a sleep, the state of the whole program is recorded: the content of
// its memory, and each thread's pending operation, registers, live stack and thread-local storage. Of the
// runtime's frames on a stack, those of the intercepted call are included, since they hold its arguments. The
// scheduler's own frames below are not: they hold numbers that never repeat. If an earlier state of the
// execution was the same, the events in between form a cycle. The cycle is a livelock if it is fair: each
// thread that could run in it ran, and yielded (FairScheduler::is_fair_since).
//
// Example: each of two threads takes its first lock, tries the second one, releases the first one if the
// attempt fails, and yields. In lockstep neither thread ever gets both locks.
//
// The recorded state leaves some things out: the kernel's state, a choice of a value, a clock that was read.
// A change of one of them would make a false cycle. So each such operation makes all earlier states differ
// from all later ones.
//
// Recording all of that at each yield would cost too much. So at first only a cheap outline of the state is
// compared: the pending operations, and the registers of the thread that yields. (Not its stack: places that
// the program did not set hold what the runtime's calls left in them.) Only if an outline repeats, the
// execution is run again and watched. A watched execution records its events whether or not anybody wants
// them, so that it runs the same when its trace is wanted. What the runtime's own calls leave below the live
// frames is cleared, since it becomes the unset part of the program's next frames.
//
// A watched execution that becomes long is given up: it is watched no longer, to save memory.
//
// States are compared by digests of 64 bits. A collision is very unlikely, and an "exhausted" does not depend
// on it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/event.hpp"
#include "runtime/base/fiber.hpp"
#include "runtime/base/forever.hpp"
#include "runtime/threads/hooks.hpp"

namespace thrum {

struct Thread;

class LivelockDetector {
 public:
  constexpr LivelockDetector() = default;

  // The executions that follow are of another plan.
  void begin_plan() { livelock_watch.on = given_up_ = false; }
  // Forgets the states of the execution.
  void reset() {
    visits_.clear();
    livelock_watch.hidden_changes = 0;
    rounds_ = {};
  }
  // Whether the execution is watched, and so records its events.
  bool is_watching() const { return livelock_watch.on; }

  // Whether it remembers states of the execution.
  bool has_seen_any() const { return !visits_.empty() || rounds_.begun; }

  // The running thread is about to arrive at a yield, or at a sleep of so many nanoseconds. Does not return
  // if that makes a livelock, or if the execution has to be watched. REQUIRES: the call came through a
  // loop_entry of switch.S.
  void arrive(Operation operation, std::uint64_t sleeps_ns, std::uint64_t code);

  // See watch_standing() and tidy_stack() in hooks.hpp.
  void note_standing(const Thread& thread, const void* frames) {
    note_frames(thread, frames);
    wipe_dead_stack();
  }
  void tidy_stack() const { wipe_dead_stack(); }

  // No thread is enabled, and some wait in loops. If the trace is to be shown, each of these runs one more
  // round, one after the other, so that the trace shows what repeats. Returns the next such thread; nullptr
  // if all have run their round, which is marked in the trace. REQUIRES: between the calls the threads do
  // nothing else.
  Thread* next_round();
  // Whether those rounds have begun, and nothing else has happened since.
  bool shows_rounds() const;

 private:
  // The rounds of threads that wait in loops.
  struct Rounds {
    bool begun = false;
    std::uint32_t begin = 0;  // as in Lasso
    std::size_t thread = 0;   // whose round runs: index among the live threads
    std::uint64_t home = 0;   // the call where it waited, and to which it returns; 0: its round has not begun
    std::uint32_t operations = 0;  // in all rounds
  };
  struct Visit {
    std::uint64_t state;
    std::uint32_t choices;  // thread choices so far
    std::uint32_t events;   // in the trace so far
  };
  std::uint64_t outline() const;
  std::optional<std::uint64_t> state(const Thread& running) const;
  void note_frames(const Thread& thread, const void* frames);
  static void wipe_dead_stack();
  [[noreturn, gnu::cold]] static void fail_by(const Visit& begin, const Visit& end);

  void give_up();

  bool given_up_ = false;  // the plan's executions are not searched for livelocks any more
  std::vector<Visit> visits_;
  std::vector<CallerState> standing_;  // note_standing(), by slot
  Rounds rounds_;
};

extern constinit Forever<LivelockDetector> the_livelock_detector;
inline LivelockDetector& livelock_detector() { return the_livelock_detector.value; }

}  // namespace thrum
