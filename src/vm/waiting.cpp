// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads in waiting loops, as the scheduler sees them. When a round has come to nothing, rounds.hpp says;
// what becomes of the thread, the plan says (Policy::waiting, Policy::rounds; docs/semantics.md, "Loops,
// fairness, livelock"): it waits until something that it read is written or has another value, or it does no
// more in this execution.
#include <algorithm>

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
  if (!may_repeat(me.operation)) return;
  Rounds::Arrival arrival = rounds_.arrive(me);
  // Who runs a round alone has to come back to where it stood: it has to read everything again.
  if (arrival == Rounds::Arrival::spins && trial_.thread == &me && trial_.code != me.code)
    arrival = Rounds::Arrival::ordinary;
  if (arrival == Rounds::Arrival::begin_again) begins_again_ = over = true;
  if (arrival != Rounds::Arrival::spins) return;
  me.wait = blocks_ && !rounds_.depends_on_time(me) ? Wait::nothing_more : Wait::spin;
}

// The thread has done its pending operation, which has changed nothing.
void Machine::note_read(const Thread& me, std::uint64_t value) {
  if (me.operation == Operation::sleep) rounds_.note_wait(me);
  if (has_no_effect(me.operation)) return;
  rounds_.note_read(me, reads_word(me) ? std::optional(value) : std::nullopt);
}

// No thread is enabled and no wait has a deadline. If a loop reads the clock, time passes, more of it each
// time.
bool Machine::advance_for_spinners() {
  constexpr std::uint64_t kShortest = 1'000;
  constexpr std::uint64_t kLongest = std::uint64_t{100} * 365 * 86'400 * 1'000'000'000;
  const bool reads_clock = std::any_of(live().begin(), live().end(), [this](std::uint16_t slot) {
    return thread(slot).wait == Wait::spin && rounds_.reads_clock(thread(slot));
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
