// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the scheduler tells others of pending operations: strategies, traces and reports.
#include <algorithm>

#include "objects/objects.hpp"
#include "runtime/base/engine.hpp"
#include "runtime/base/long_waits.hpp"
#include "runtime/kernel/signals.hpp"
#include "runtime/threads/focus.hpp"
#include "runtime/threads/round_detector.hpp"
#include "runtime/threads/scheduler.hpp"

namespace thrum {

Waiter Scheduler::waiter(const Thread& thread) const {
  const bool spins = thread.wait == Wait::spin || thread.wait == Wait::nothing_more ||
                     (thread.wait == Wait::await && !enabled(thread));
  Waiter waiter{thread.id, thread.operation, thread.object, kNoThread, spins, thread.code, enabled(thread)};
  if (thread.wait == Wait::join) {
    waiter.operation = Operation::thread_join;
    waiter.holder = thread.joined->id;
  }
  if (thread.wait == Wait::lock || thread.wait == Wait::shared_lock)
    waiter.holder = lock_holder(thread.object);
  // The memory of the lock may hold anything by now.
  if (waiter.holder >= world.names->size()) waiter.holder = kNoThread;
  return waiter;
}

std::span<const PendingOperation> Scheduler::pending() {
  pending_.clear();
  for (const Thread* thread : course_.live) {
    if (thread->life != Life::standing) continue;
    bool handles = world.attention && signals().deliverable(thread->slot) != 0;
    PendingOperation& next = pending_.emplace_back();
    next.thread = thread->id;
    next.operation = thread->operation;
    next.enabled = handles || enabled(*thread);
    next.via = handles ? Via::signal : Via::run;
    next.sleeps = thread->wait == Wait::spin || thread->wait == Wait::nothing_more ||
                  (thread->wait == Wait::wakeup && !thread->woken);
    next.timed = thread->has_deadline && ends_early(thread->length_ns);
    next.has_deadline = thread->has_deadline;
    next.condition = thread->wait == Wait::await ? awaits_.condition(*thread) : 0;
    next.size = thread->size;
    next.object = thread->object;
    next.operand = thread->lock != 0 ? thread->lock : thread->object;
    if (thread->wait == Wait::nothing_more) next.operand = thread->code;
    if (thread->wait == Wait::join) next.operand = thread->joined->id;
    next.woken_by = thread->woken_by;
    if (focus().is_on()) next.focus = thread->focus | focus().of_object(next.object, next.size);
  }
  return pending_;
}

std::uint64_t Scheduler::place(ThreadId id) const {
  auto found = std::find_if(course_.live.begin(), course_.live.end(),
                            [id](const Thread* thread) { return thread->id == id; });
  return found == course_.live.end() ? 0 : (*found)->code;
}

// Records what the event that the thread is about to do waits for.
void Scheduler::note_watches(const Thread& thread) {
  Trace& trace = current_trace();
  const auto event = static_cast<std::uint32_t>(trace.events.size());
  if (round_detector().is_on()) return round_detector().add_watched(thread, event, trace.watches);
  spins_.add_watched(thread, event, trace.watches);
}

void Scheduler::note_pending() {
  if (trial_.begun) return;  // they were noted before
  std::span<const PendingOperation> left = pending();
  current_trace().pending.assign(left.begin(), left.end());
}

}  // namespace thrum
