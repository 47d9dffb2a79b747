// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads in waiting loops, as the scheduler sees them. When a round has come to nothing, spins.hpp says;
// what becomes of the thread, the plan says (Policy::waiting, Policy::rounds; docs/semantics.md, "Loops,
// fairness, livelock"): it waits until something that it read is written or has another value, or it does no
// more in this execution.
#include <algorithm>
#include <utility>

#include "vm/machine.hpp"

namespace thrum::vm {

namespace {

// Operations that a waiting loop may consist of, and at which its rounds may begin.
bool may_repeat(Operation operation) {
  switch (operation) {
    case Operation::load:
    case Operation::racy_load:
    case Operation::read_modify_write:
    case Operation::compare_exchange:
    case Operation::try_lock:
    case Operation::try_shared_lock:
    case Operation::semaphore_try_wait:
    case Operation::try_join:
    case Operation::clock_read:
    case Operation::timer_read:
    case Operation::signal_accept:
    case Operation::signal_pending:
    case Operation::cancel_test:
    case Operation::yield: return true;
    default: return false;
  }
}

// Operations that change nothing and read nothing.
bool has_no_effect(Operation operation) {
  switch (operation) {
    case Operation::yield:
    case Operation::fence:
    case Operation::sleep:
    case Operation::choose:
    case Operation::point: return true;
    default: return false;
  }
}

bool reads_word(const Thread& thread) {
  switch (thread.operation) {
    case Operation::load:
    case Operation::racy_load:
    case Operation::read_modify_write:
    case Operation::compare_exchange: return thread.size != 0 && thread.size <= sizeof(std::uint64_t);
    default: return false;
  }
}

}  // namespace

// The thread arrives. If it comes back to its pending operation by a round that came to nothing, it waits, as
// the plan says.
void Machine::wait_in_loop(Thread& me) {
  const bool takes = me.wait != Wait::nothing && me.needs == me.wait;
  if (!may_repeat(me.operation) && !(takes && idle_rounds_.is_noting())) return;
  bool by_idle_round = false;
  if (!comes_back(me, by_idle_round)) return;
  // Who runs a round alone has to come back to where it stood: it has to read everything again.
  if (trial_.thread == &me && trial_.code != me.code) return;
  const bool by_time = spins_.depends_on_time(me) || (by_idle_round && idle_rounds_.depends_on_time(me));
  me.wait = blocks_ && !by_time && !Signals::are_used() ? Wait::nothing_more : Wait::spin;
}

// by_idle_round: becomes true if the idle rounds say so. Who waits and does more later is judged by one of
// both all the time: by these, where they are looked for.
bool Machine::comes_back(Thread& me, bool& by_idle_round) {
  if (trial_.thread == &me && idle_rounds_.is_on()) return comes_back_in_trial(me);
  if (idle_rounds_.is_on() && (!blocks_ || spins_.depends_on_time(me) || Signals::are_used()))
    return by_idle_round = comes_by_idle_round(me);
  if (may_repeat(me.operation)) {
    const Spins::Arrival arrival = spins_.arrive(me);
    if (arrival == Spins::Arrival::begin_again) begins_again_ = over = true;
    if (arrival == Spins::Arrival::spins) return true;
  }
  return by_idle_round = !over && idle_rounds_.is_noting() && comes_by_idle_round(me);
}

// What its round reads and writes has to be known, so that loops_interfere() can say something.
bool Machine::comes_back_in_trial(Thread& me) {
  constexpr std::uint32_t kArrivalsMax = 64;
  if (comes_by_idle_round(me)) return true;
  if (me.code != trial_.code || ++trial_.arrivals_back < kArrivalsMax) return false;
  return trial_.is_unknown = true;
}

bool Machine::comes_by_idle_round(Thread& me) {
  const IdleRounds::Arrival arrival = idle_rounds_.arrive(me);
  if (arrival == IdleRounds::Arrival::found) {
    restarts_search = true;
    finish(End::uncontrolled);
  }
  return arrival == IdleRounds::Arrival::waits;
}

bool Machine::is_released(const Thread& thread) const {
  return idle_rounds_.is_on() ? idle_rounds_.released(thread) : spins_.released(thread);
}

void Machine::note_watches(const Thread& thread) {
  const auto event = static_cast<std::uint32_t>(trace->events.size());
  if (idle_rounds_.is_on()) return idle_rounds_.add_watched(thread, event, trace->watches);
  spins_.add_watched(thread, event, trace->watches);
}

// The thread has done its pending operation, which has changed nothing.
void Machine::note_read(const Thread& me, std::uint64_t value) {
  if (me.operation == Operation::sleep) spins_.note_wait(me);
  if (has_no_effect(me.operation)) return;
  spins_.note_read(me, reads_word(me) ? std::optional(value) : std::nullopt);
}

void Machine::note_for_idle_rounds(const Thread& me, bool changes, std::uint64_t value, Outcome outcome) {
  if (changes || !has_no_effect(me.operation)) idle_rounds_.note_operation(me, changes, value, outcome);
}

// The thread has read the clock besides.
void Machine::note_clock_read(Thread& me) {
  const std::uint64_t object = std::exchange(me.object, kClockObject);
  spins_.note_read(me, std::nullopt);
  if (idle_rounds_.is_noting()) idle_rounds_.note_read_of(me, kClockObject);
  me.object = object;
}

// No thread is enabled and no wait has a deadline. If a loop reads the clock, time passes, more of it each
// time.
bool Machine::advance_for_spinners() {
  constexpr std::uint64_t kShortest = 1'000;
  constexpr std::uint64_t kLongest = std::uint64_t{100} * 365 * 86'400 * 1'000'000'000;
  const bool reads_clock = std::any_of(live().begin(), live().end(), [this](std::uint16_t slot) {
    const Thread& one = thread(slot);
    return one.wait == Wait::spin &&
           (idle_rounds_.is_on() ? idle_rounds_.reads_clock(one) : spins_.reads_clock(one));
  });
  Course& all = change_course();
  if (!reads_clock || all.clock_jump_ns > kLongest) return false;
  all.clock_jump_ns = std::max(kShortest, all.clock_jump_ns * 2);
  advance_clock(all.now_ns + all.clock_jump_ns);
  return true;
}

void Machine::advance_clock(std::uint64_t to_ns) {
  Course& all = change_course();
  if (all.now_ns >= to_ns) return;
  all.now_ns = to_ns;
  note_written(kClockObject, 1);
}

}  // namespace thrum::vm
