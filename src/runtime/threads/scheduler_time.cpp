// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scheduler and virtual time: which timed waits, sleeps and timers may end.
//
// A short one may end between any two operations of other threads. A long one, or one that the user does not
// want to end early, ends only when nothing else can go on. A wait of an hour or more does not even end then,
// so that a program which hangs without it is reported as hanging (long_waits.hpp). Threads in waiting loops
// are not enabled, so they do not prevent any of this.
//
// Tested by tests/programs/{correct,wrong}/time.
#include <algorithm>
#include <limits>

#include "runtime/base/engine.hpp"
#include "runtime/base/long_waits.hpp"
#include "runtime/threads/hooks.hpp"
#include "runtime/threads/scheduler.hpp"

namespace thrum {

void Scheduler::set_deadline(Thread& thread, std::uint64_t deadline_ns) {
  thread.timed = deadline_ns != kNoDeadline;
  thread.deadline_ns = deadline_ns;
  thread.length_ns = deadline_ns > course_.now_ns ? deadline_ns - course_.now_ns : 0;
}

// Whether the thread may time out only when nothing else can go on. Not so if the clock has passed the
// deadline.
bool Scheduler::is_late(const Thread& thread) const {
  return thread.timed && !ends_early(thread.length_ns) && thread.deadline_ns > course_.now_ns;
}

bool Scheduler::is_endless(const Thread& thread) const {
  return is_late(thread) && thread.wait != Wait::deadline && never_ends(thread.length_ns);
}

bool Scheduler::may_time_out(const Thread& thread, bool idle) const {
  if (!thread.timed || thread.life != Life::standing || enabled(thread)) return false;
  if (is_late(thread) && (!idle || is_endless(thread))) return false;
  return !thread.timer || timer_may_expire(thread, idle);
}

// If some thread is enabled, each short wait may time out first. If none is, time passes until the earliest
// deadline.
void Scheduler::collect_timeouts() {
  std::uint64_t latest = std::numeric_limits<std::uint64_t>::max();
  const bool idle = options_.empty();
  if (idle) {
    int deadlines = 0;
    for (Thread* thread : course_.live) {
      if (!may_time_out(*thread, idle)) continue;
      latest = std::min(latest, thread->deadline_ns);
      ++deadlines;
    }
    if (deadlines > 1) current_trace().compares_deadlines = true;
  }
  for (Thread* thread : course_.live) {
    if (!may_time_out(*thread, idle) || thread->deadline_ns > latest) continue;
    options_.emplace_back(thread->id, thread->timer ? Via::expiry : Via::timeout);
    option_threads_.push_back(thread);
  }
}

// The length of the shortest wait that only its time-out would end and that counts as endless; 0: there is
// none.
std::uint64_t Scheduler::shortest_endless_wait_ns() const {
  std::uint64_t shortest = 0;
  for (const Thread* thread : course_.live) {
    if (thread->life != Life::standing || enabled(*thread) || !is_endless(*thread)) continue;
    if (shortest == 0 || thread->length_ns < shortest) shortest = thread->length_ns;
  }
  return shortest;
}

}  // namespace thrum
