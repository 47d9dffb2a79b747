// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scheduler when no thread is enabled: each thread in a waiting loop gets another round; then the clock
// advances for loops that read it; else it is a deadlock or a livelock.
#include <algorithm>
#include <utility>

#include "runtime/base/engine.hpp"
#include "runtime/base/notes.hpp"
#include "runtime/threads/hooks.hpp"
#include "runtime/threads/lock_misuse.hpp"
#include "runtime/threads/round_detector.hpp"
#include "runtime/threads/scheduler.hpp"
#include "support/duration.hpp"

namespace thrum {

// No thread is enabled. A thread in a waiting loop gets one more round, in case that something was written
// unseen. The order does not matter, since a round changes nothing.
Thread* Scheduler::release_spinner() {
  check_released();
  for (Thread* thread : course_.live) {
    if (thread->wait != Wait::spin || thread->life != Life::standing) continue;
    if (!can_take(*thread)) {
      thread->wait = thread->needs;  // it cannot do its round: it waits for the lock like any other thread
      continue;
    }
    if (!give_another_round(*thread)) continue;
    released_ = thread;
    released_code_ = thread->code;
    released_memory_ = memory_digest();
    return thread;
  }
  return nullptr;
}

bool Scheduler::give_another_round(const Thread& thread) {
  return round_detector().is_on() ? round_detector().give_another_round(thread)
                                  : spins_.give_another_round(thread);
}

void Scheduler::forget_round(const Thread& thread) {
  if (round_detector().is_on()) return round_detector().forget_round(thread);
  spins_.forget_round(thread);
}

bool Scheduler::loop_reads_clock(const Thread& thread) const {
  return round_detector().is_on() ? round_detector().reads_clock(thread) : spins_.reads_clock(thread);
}

// Whether the rounds of two waiting threads interfere. Then it does not follow from the rounds, each run
// alone, that both together change nothing.
bool Scheduler::loops_interfere() const {
  if (!round_detector().is_on()) return false;
  if (trial_.is_unknown) return true;
  const auto waits = [](const Thread* thread) {
    return thread->wait == Wait::spin || thread->wait == Wait::nothing_more;
  };
  for (const Thread* one : course_.live) {
    for (const Thread* other : course_.live) {
      if (one != other && waits(one) && waits(other) && round_detector().interferes(*one, *other))
        return true;
    }
  }
  return false;
}

// A thread has done its round, alone, and waits again. If memory has changed, code that is not instrumented
// did it (a library, inline assembly), so the loop was no waiting loop. Schedules may have been left out
// while the thread waited. So the search begins again, with the call an ordinary one.
void Scheduler::check_released() {
  const Thread* thread = std::exchange(released_, nullptr);
  if (!thread || thread->wait != Wait::spin || thread->code != released_code_) return;
  if (memory_digest() == released_memory_) return;
  spins_.never(released_code_);
  world.ledger->withdraw();
  restart_search();
}

// No thread is enabled and no wait has a deadline. If a loop reads the clock, time passes.
bool Scheduler::advance_for_spinners() {
  constexpr std::uint64_t kShortest = 1'000;                                 // a microsecond
  constexpr std::uint64_t kLongest = 100ull * 365 * 86'400 * 1'000'000'000;  // in all
  bool watched = std::any_of(course_.live.begin(), course_.live.end(), [&](const Thread* thread) {
    return thread->wait == Wait::spin && thread->life == Life::standing && loop_reads_clock(*thread);
  });
  if (!watched || course_.clock_jump_ns > kLongest) return false;
  course_.clock_jump_ns = std::max(kShortest, course_.clock_jump_ns * 2);
  advance_clock(course_.now_ns + course_.clock_jump_ns);
  return true;
}

// No thread is enabled, and each waiting loop has had a round. If memory has changed, code in a loop that is
// not instrumented did it (a library, inline assembly); then the loop was no spin, and all get another round.
// With idle rounds this cannot be told: they write themselves, and other threads may be in the middle of a
// round. check_released() handles them.
bool Scheduler::rounds_changed_memory() {
  if (round_detector().is_on()) return false;
  bool any = false;
  for (Thread* thread : course_.live) {
    if (thread->wait != Wait::spin || thread->life != Life::standing) continue;
    forget_round(*thread);
    any = true;
  }
  if (!any) return false;
  std::uint64_t digest = memory_digest();
  std::uint64_t before = std::exchange(course_.memory_when_stuck, digest);
  if (before != 0 && before != digest && course_.ran_beside_spinner) notes().loop_changed_memory();
  return before != digest;
}

Thread& Scheduler::end_stuck() {
  if (awaits_.is_on()) {
    if (Thread* thread = next_trial()) return force(*thread);
  }
  if (loops_interfere()) {
    notes().may_go_round();
    cut_execution(End::goes_round);
  }
  Thread* spinner = awaits_.is_on() ? nullptr : next_livelock_round();
  if (spinner != nullptr) return force(*spinner);
  fail_stuck();
}

void Scheduler::fail_stuck() {
  check_self_locks();
  Failure failure{BugKind::deadlock, "no thread can go on", kMainThread, 0, {}};
  bool anybody = false;
  for (Thread* thread : course_.live) {
    if (thread->timer) continue;
    anybody = true;
    Waiter waiter = this->waiter(*thread);
    waiter.ready = false;
    if (waiter.spinning && failure.kind == BugKind::deadlock) {
      failure.kind = BugKind::livelock;
      failure.message = "every thread waits, some by going round in a loop";
    }
    failure.waiters.push_back(waiter);
  }
  if (!anybody) exit_process(0);  // main ended by pthread_exit, and the last thread has ended
  if (const std::uint64_t length_ns = shortest_endless_wait_ns(); length_ns != 0)
    failure.message += "; only a time-out of " + length_words(length_ns) + " would end it";
  if (failure.kind != BugKind::livelock) current_trace().lasso = {};
  failure.thread = failure.waiters.front().thread;
  failure.code = failure.waiters.front().code;
  fail(std::move(failure));
}

}  // namespace thrum
