// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the scheduler tells the rooms above it, in this folder and in others, and asks of them. They define
// these.
#pragma once

#include <cstddef>
#include <cstdint>

#include "execution/director.hpp"
#include "model/choice.hpp"
#include "model/event.hpp"
#include "runtime/base/thread.hpp"

namespace thrum {

// ---- threads/signal_delivery.cpp ----

// Sets World::attention, after signals have come or gone.
void pay_attention();
// Whether something that was sent to the thread itself is deliverable.
bool has_own_signals(const Thread& thread);
// The running thread handles one signal, the lowest. REQUIRES: one is deliverable.
void handle_one_signal(std::uint64_t code);

// Whether the handler that the thread would run has SA_RESTART. REQUIRES: a signal is deliverable to it.
bool next_handler_restarts(const Thread& thread);

// ---- threads/timers.cpp ----

// Whether the timer may expire whose thread that is. idle: nothing else can happen.
bool timer_may_expire(const Thread& sleeper, bool idle);
// The signal of that timer has been taken: how often it would have expired since then.
int timer_was_accepted(int number);

// ---- threads/livelock.cpp ----

struct LivelockWatch {
  bool on = false;                   // the execution is watched, and so records its events
  std::uint64_t hidden_changes = 0;  // of what is compared, by operations that the watch does not see
};
extern LivelockWatch livelock_watch;
void begin_livelock_watch();
// The thread is about to stand before an operation. frames: of its stack, those from there on are not the
// scheduler's. REQUIRES: the watch is on.
void watch_standing(const Thread& thread, const void* frames);
// The runtime has done something else of its own on the running stack. REQUIRES: the watch is on.
void tidy_stack();
// The running thread is about to stand before a yield. Does not return where that makes a livelock, or the
// execution is to be watched. REQUIRES: the call came through a loop_entry of switch.S.
void watch_yield(std::uint64_t code);
// LivelockDetector::shows_rounds() and next_round().
bool livelock_shows_rounds();
Thread* next_livelock_round();

// ---- judge/race_judge.cpp. REQUIRES: world.judges_races ----

// The thread has done its pending operation, which may order others behind it.
void judge_operation(const Thread& thread, std::uint64_t value, std::uint64_t operand, Outcome outcome);
void judge_creation(const Thread& parent, const Thread& child);

// ---- judge/race_judge.cpp ----

// Whether the object was last used by atomic operations or as a lock, and not written plainly or freed since.
bool was_used_atomically(std::uint64_t object);
// The runtime itself writes the program's memory, for the program.
void judge_plain_write(std::uint64_t address, std::size_t size, std::uint64_t code);

// ---- judge/judging.cpp. REQUIRES: world.names_events ----

void name_operation(const Thread& thread, std::uint64_t value, std::uint64_t operand, Outcome outcome);
void name_creation(const Thread& parent, const Thread& child);
// Something else orders the execution, or may differ between executions of its class: it gets no name.
void lose_name();

// ---- shortcuts/waypoints.cpp ----

// Where the scheduler is to stop for a waypoint: at a scheduling point, counted from 1, or at the first
// choice that has several options.
struct WantedWaypoint {
  std::uint32_t point = Director::kNever;
  bool at_first_choice = false;
};
extern WantedWaypoint wanted_waypoint;
// Sets one there. Comes back once more for each execution that begins at it: the choice has to be put to the
// director again then. same_key: the point before had the same key.
void set_waypoint(ChoiceKey key, bool same_key);

// Those that are set hold what does not hold any more.
void forget_waypoints();

// ---- shortcuts/known_ends.cpp ----

// The end of this execution depends on more than the program's state.
void give_up_known_end();
// A fault at the address: true where that lies in the stack of an ended thread, which can be used again.
bool open_known_stack(std::uint64_t address);

}  // namespace thrum
