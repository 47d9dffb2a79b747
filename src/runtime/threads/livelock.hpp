// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Livelocks of threads that yield: an execution that comes back to a state in which it was before can go
// round for ever (docs/semantics.md, "Loops, fairness, livelock").
//
// Whenever a thread comes to stand before a yield or a sleep, the state of the whole program is looked at:
// what its memory holds, where each thread stands, its registers, live stack and thread-local storage. Of the
// runtime's frames the stack has those of the call that a thread is in, which hold what it was called with,
// and not the scheduler's below, which hold numbers that never come again. Where an earlier one of the
// execution was the same, what lies between is a circle. It is a livelock where the circle is fair: each
// thread that could run in it did, and yielded (FairScheduler::is_fair_since).
//
// Example: each of two threads takes its first lock, tries the second one, gives the first one back where it
// does not get it, and yields. In lockstep neither ever gets both.
//
// What is not seen in a state (the kernel's, a choice of the program's, a clock that was read) would make a
// circle of what is none. So whatever touches such things makes all states before differ from those behind.
//
// To look at all of that at each yield would cost too much. So at first states are told apart by what is at
// hand: what each thread stands before, and the registers of the one that yields. (Not its stack, of which
// what the program did not set holds what the runtime's calls left there.) Only where these come again, the
// execution starts anew and is watched. A watched execution writes its events down whether or not anybody
// wants them, so that it does the same when its trace is wanted; and what the runtime's own calls leave below
// the live frames is wiped out, since the program's next frames have it where they set nothing.
//
// A watched execution that is long has no livelock that is worth the memory: it is watched no longer.
//
// States are compared by digests of 64 bits: that two differ and are taken for the same is not to be
// expected, and an "exhausted" does not rest on it.
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
  // Forgets the execution.
  void reset() {
    visits_.clear();
    livelock_watch.hidden_changes = 0;
    rounds_ = {};
  }
  // Whether the execution is watched, and so writes its events down.
  bool is_watching() const { return livelock_watch.on; }

  // Whether it remembers states of the execution.
  bool has_seen_any() const { return !visits_.empty() || rounds_.begun; }

  // The running thread is about to stand before a yield, or a sleep of so many nanoseconds. Does not return
  // where that makes a livelock, or the execution is to be watched. REQUIRES: the call came through a
  // loop_entry of switch.S.
  void arrive(Operation operation, std::uint64_t sleeps_ns, std::uint64_t code);

  // As watch_standing() and tidy_stack() of hooks.hpp.
  void note_standing(const Thread& thread, const void* frames) {
    note_frames(thread, frames);
    wipe_dead_stack();
  }
  void tidy_stack() const { wipe_dead_stack(); }

  // Nobody can go on, and some threads wait in loops. Where the trace is to be shown, each of those goes
  // round once more, one after the other, so that it shows what comes again and again. Who is next; nullptr
  // where all have gone round, which is marked in the trace. Between the calls the threads do nothing else.
  Thread* next_round();
  // Whether those rounds have begun, and nothing else was done since.
  bool shows_rounds() const;

 private:
  // Of the loops of threads that wait.
  struct Rounds {
    bool begun = false;
    std::uint32_t begin = 0;       // as in the lasso
    std::size_t thread = 0;        // whose round it is, among those that live
    std::uint64_t home = 0;        // where it stood, and comes back to; 0: it has not begun
    std::uint32_t operations = 0;  // of all
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

  bool given_up_ = false;  // no livelock of the plan's is looked for any more
  std::vector<Visit> visits_;
  std::vector<CallerState> standing_;  // note_standing(), by slot
  Rounds rounds_;
};

extern constinit Forever<LivelockDetector> the_livelock_detector;
inline LivelockDetector& livelock_detector() { return the_livelock_detector.value; }

}  // namespace thrum
