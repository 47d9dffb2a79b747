// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the scheduler calls in files above it, in this layer and in others. Those files define these
// functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "execution/director.hpp"
#include "model/choice.hpp"
#include "model/event.hpp"
#include "runtime/base/thread.hpp"

namespace thrum {

// ---- threads/signal_delivery.cpp ----

// Sets World::attention, after signals became pending or ceased to be.
void pay_attention();
// Whether a signal that was sent to the thread itself is deliverable.
bool has_own_signals(const Thread& thread);
// The running thread handles one signal, the lowest. REQUIRES: one is deliverable.
void handle_one_signal(std::uint64_t code);

// Whether the handler that the thread would run next has SA_RESTART. REQUIRES: a signal is deliverable to the
// thread.
bool next_handler_restarts(const Thread& thread);

// ---- threads/timers.cpp ----

// Whether the timer whose thread is `sleeper` may expire. idle: nothing else can happen.
bool timer_may_expire(const Thread& sleeper, bool idle);
// The signal of that timer was accepted. Returns how many expiries were missed since it was sent.
int timer_was_accepted(int number);

// ---- threads/livelock.cpp ----

struct LivelockWatch {
  bool on = false;                   // the execution is watched, and so records its events
  std::uint64_t hidden_changes = 0;  // of the compared state, by operations that the watch does not see
};
extern LivelockWatch livelock_watch;
void begin_livelock_watch();
// An operation of the thread is about to become pending. frames: in its stack, the frames from there on are
// not the scheduler's. REQUIRES: the watch is on.
void watch_standing(const Thread& thread, const void* frames);
// The runtime has used the running stack for other work of its own. REQUIRES: the watch is on.
void tidy_stack();
// The running thread is about to arrive at a yield. Does not return if that makes a livelock, or if the
// execution has to be watched. REQUIRES: the call came through a loop_entry of switch.S.
void watch_yield(std::uint64_t code);
// LivelockDetector::shows_rounds() and next_round().
bool livelock_shows_rounds();
Thread* next_livelock_round();

// ---- judge/race_judge.cpp. REQUIRES: world.judges_races ----

// Whether Scheduler::note_access() gets each plain access from now on.
bool sees_accesses_of_others();

// The thread has done its pending operation, which may order later operations of other threads behind it.
void judge_operation(const Thread& thread, std::uint64_t value, std::uint64_t operand, Outcome outcome);
void judge_creation(const Thread& parent, const Thread& child);

// ---- judge/race_judge.cpp ----

// Whether the last uses of the object were atomic operations or lock operations, with no plain write or free
// since.
bool was_used_atomically(std::uint64_t object);
// The runtime itself writes the program's memory, on behalf of the program.
void judge_plain_write(std::uint64_t address, std::size_t size, std::uint64_t code);

// ---- judge/recorded_values.cpp. REQUIRES: engine.records_values, and an execution runs or has just ended
// ----

// The thread is about to record an event. thread: its operation is that event's.
void note_values_before_event(const Thread& thread);
// The running thread stops, or a section ends: what it has written is in memory, and recorded.
void end_stretch_of_values();
// The same for what it has written so far, in the middle of a stretch.
void write_values_out();
// The runtime writes there on behalf of the running thread.
void note_write_for_values(std::uint64_t object, std::uint64_t size);
// The program's code made a fault.
void note_fault_for_values();
// The running thread has done an operation in an atomic section. False: that is none that reads and writes
// the bytes of its object. changes, value: as for Scheduler::done().
bool note_values_in_section(const Thread& me, bool changes, std::uint64_t value);

// ---- judge/judging.cpp. REQUIRES: world.names_events ----

void name_operation(const Thread& thread, std::uint64_t value, std::uint64_t operand, Outcome outcome);
void name_creation(const Thread& parent, const Thread& child);
// The execution is ordered by something without a name, or may differ from other executions of its class: it
// gets no name.
void lose_name();

// ---- shortcuts/waypoints.cpp ----

// Where the scheduler stops for a waypoint: at a scheduling point, counted from 1, or at the first choice
// with several options.
struct WantedWaypoint {
  std::uint32_t point = Director::kNever;
  bool at_first_choice = false;
};
extern WantedWaypoint wanted_waypoint;
// Sets a waypoint there. Returns once more for each execution that begins at it: then the director must be
// asked for the choice again. same_key: the point before had the same key.
void set_waypoint(ChoiceKey key, bool same_key);

// The waypoints that are set are no longer valid.
void forget_waypoints();

// ---- shortcuts/known_ends.cpp ----

// The end of this execution depends on more than the program's state.
void give_up_known_end();
// A fault at the address: true if it lies in the stack of an ended thread. The stack is accessible from then
// on.
bool open_known_stack(std::uint64_t address);

}  // namespace thrum
