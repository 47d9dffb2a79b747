// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No thread is enabled: each that waits in a loop gets one more round; if none goes on, it is a deadlock or a
// livelock.
#include <algorithm>

#include "execution/fair_scheduler.hpp"
#include "objects/objects.hpp"
#include "support/duration.hpp"
#include "vm/machine.hpp"

namespace thrum::vm {

// No thread is enabled. A thread that waits in a loop gets one more round, in case something was written
// unseen.
Thread* Machine::release_waiting() {
  for (const std::uint16_t slot : live()) {
    Thread& one = thread(slot);
    if (one.life != Life::standing || one.wait != Wait::spin) continue;
    if (!can_take(one)) {
      change(one).wait = one.needs;  // it cannot begin its round: it waits for the lock like any other thread
      continue;
    }
    if (idle_rounds_.is_on() ? idle_rounds_.give_another_round(one) : spins_.give_another_round(one))
      return &one;
  }
  return nullptr;
}

// Where threads do no more after their rounds, and no other one is enabled: each runs a round alone, from the
// memory as it is. If all come back, the execution is stuck; if one goes on, it only waited in vain: another
// execution has its round in time. nullptr: each has had its round.
Thread* Machine::next_trial() {
  if (!trial_.has_begun) {
    if (records_events()) note_pending();
    trial_.has_begun = true;
    records_footprints = false;
  }
  while (trial_.next < live().size()) {
    Thread& one = thread(live()[trial_.next++]);
    if (one.life != Life::standing || one.wait != Wait::nothing_more) continue;
    if (!can_take(one)) {
      change(one).wait = one.needs;  // it cannot begin its round
      continue;
    }
    if (idle_rounds_.is_on()) {
      idle_rounds_.begin_trial(one);
    } else {
      spins_.give_another_round(one);
    }
    trial_.thread = &one;
    trial_.code = one.code;
    trial_.operations = trial_.arrivals_back = 0;
    return &one;
  }
  trial_.thread = nullptr;
  return nullptr;
}

// The thread that runs a round alone has arrived somewhere, or has ended.
Thread* Machine::go_on_in_trial() {
  constexpr std::uint32_t kOperationsMax = 4096;
  Thread& one = *trial_.thread;
  if (one.life != Life::standing || ++trial_.operations > kOperationsMax) {
    finish(End::waiting);
    return nullptr;
  }
  if (is_enabled(one)) return &one;
  if (one.wait == Wait::nothing_more || one.wait == Wait::spin) return end_stuck();
  finish(End::waiting);  // it has left its loop, and waits for something else
  return nullptr;
}

Waiter Machine::waiter(const Thread& thread) const {
  const bool spins = thread.wait == Wait::spin || thread.wait == Wait::nothing_more;
  Waiter result{thread.id, thread.operation, thread.object,     kNoThread,
                spins,     thread.code,      is_enabled(thread)};
  if (thread.wait == Wait::join) {
    result.operation = Operation::thread_join;
    result.holder = Machine::thread(thread.joined).id;
  }
  if (thread.wait == Wait::lock || thread.wait == Wait::shared_lock)
    result.holder = lock_holder(thread.object);
  if (result.holder >= names.size()) result.holder = kNoThread;
  return result;
}

const char* Machine::self_lock(const Thread& thread) const {
  if (thread.wait == Wait::spin_lock && spin_lock_holder(thread.object) == thread.id)
    return "locks again a spin lock that it holds";
  if (thread.wait != Wait::lock) return nullptr;
  if (lock_holder(thread.object) == thread.id) return "locks again a mutex that it holds";
  const bool reads = course().slots_used <= LockState::kReaders && is_read_by(thread.object, thread.slot);
  return reads ? "locks to write a read-write lock that it holds to read" : nullptr;
}

// Whether a thread waits for a lock that it holds; then the execution has failed.
bool Machine::fail_by_self_lock() {
  for (std::uint16_t slot : live()) {
    const Thread& one = thread(slot);
    const char* const what = one.life == Life::standing ? self_lock(one) : nullptr;
    if (what == nullptr || one.timed) continue;
    Failure failure{BugKind::lock_misuse, what, one.id, one.code, {}};
    failure.waiters.push_back(waiter(one));
    failure.waiters[0].holder = one.id;
    fail(std::move(failure));
    return true;
  }
  return false;
}

// Whether the thread may go on by itself, as far as this can be told.
bool Machine::may_go_on(const Thread& thread) const {
  const bool spins = thread.wait == Wait::spin || thread.wait == Wait::nothing_more;
  return thread.is_timer || thread.timed || spins || is_enabled(thread) || Signals::deliverable(thread) != 0;
}

// The running thread ends the process. Notes threads that are blocked, and that no thread is left to wake:
// all others are blocked, or who must release the lock first has ended, or ends the process.
void Machine::look_at_exit() {
  const Thread& me = current();
  const auto is_live = [](ThreadId id) {
    return std::any_of(live().begin(), live().end(),
                       [id](std::uint16_t slot) { return thread(slot).id == id; });
  };
  const auto waits_for_the_dead = [&](const Thread& one) {
    if (one.wait != Wait::lock && one.wait != Wait::shared_lock) return false;
    const ThreadId holder = lock_holder(one.object);
    return holder != kNoThread && (holder == me.id || !is_live(holder));
  };
  const bool all_wait = std::none_of(live().begin(), live().end(), [&](std::uint16_t slot) {
    return slot != me.slot && may_go_on(thread(slot));
  });
  for (const std::uint16_t slot : live()) {
    const Thread& one = thread(slot);
    if (slot == me.slot || may_go_on(one) || (!all_wait && !waits_for_the_dead(one))) continue;
    const Waiter told = waiter(one);
    if (director.records_places()) {
      trace->details.others.push_back(told);
      trace->details.other_places.push_back({described_place(told.object), {}, {}, stack_of(one)});
    } else {
      blocked_at_exit.emplace_back(told.operation, told.code);
    }
  }
}

// Of threads that yield: the thread has arrived at a yield or a sleep.
void Machine::look_for_livelock(const Thread& me) {
  const FairScheduler* const fair = director.fair();
  if (fair == nullptr || !in_execution || trial_.has_begun) return;
  const Livelocks::Arrival arrival = livelocks_.arrive(me, *fair, *trace);
  if (arrival == Livelocks::Arrival::watch) begins_again_ = over = true;
  if (arrival != Livelocks::Arrival::livelock || fail_by_self_lock()) return;
  if (records_events()) trace->lasso = livelocks_.cycle();
  fail(livelock());
}

Failure Machine::livelock() const {
  Failure failure{BugKind::livelock, "the threads go round in loops for ever", kMainThread, 0, {}};
  for (const std::uint16_t slot : live()) failure.waiters.push_back(waiter(thread(slot)));
  failure.thread = failure.waiters.front().thread;
  failure.code = failure.waiters.front().code;
  return failure;
}

// Whether the rounds of two waiting threads interfere. Then it does not follow from the rounds, each run
// alone, that both together change nothing.
bool Machine::loops_interfere() const {
  if (!idle_rounds_.is_on()) return false;
  if (trial_.is_unknown) return true;
  const auto waits = [](const Thread& one) {
    return one.wait == Wait::spin || one.wait == Wait::nothing_more;
  };
  for (const std::uint16_t one : live()) {
    for (const std::uint16_t other : live()) {
      if (one != other && waits(thread(one)) && waits(thread(other)) &&
          idle_rounds_.interfere(thread(one), thread(other)))
        return true;
    }
  }
  return false;
}

// Nothing is enabled. The thread that goes on all the same; nullptr: the execution has ended.
Thread* Machine::end_stuck() {
  if (blocks_) {
    if (Thread* const next = next_trial()) return next;
  }
  if (loops_interfere()) {
    finish(End::goes_round);
    return nullptr;
  }
  if (fail_by_self_lock()) return nullptr;
  if (have_only_timers()) {
    finish(End::finished);
    return nullptr;
  }
  Failure failure{BugKind::deadlock, "no thread can go on", kMainThread, 0, {}};
  std::uint64_t shortest = 0;
  for (std::uint16_t slot : live()) {
    const Thread& one = thread(slot);
    if (one.is_timer) continue;
    failure.waiters.push_back(waiter(one));
    failure.waiters.back().ready = false;
    if (failure.waiters.back().spinning) {
      failure.kind = BugKind::livelock;
      failure.message = "every thread waits, some by going round in a loop";
    }
    if (one.life == Life::standing && !is_enabled(one) && is_endless(one) &&
        (shortest == 0 || one.length_ns < shortest))
      shortest = one.length_ns;
  }
  if (shortest != 0) failure.message += "; only a time-out of " + length_words(shortest) + " would end it";
  failure.thread = failure.waiters.front().thread;
  failure.code = failure.waiters.front().code;
  fail(std::move(failure));
  return nullptr;
}

}  // namespace thrum::vm
