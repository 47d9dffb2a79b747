// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/judge/warnings.hpp"

#include <algorithm>
#include <vector>

#include "objects/objects.hpp"
#include "runtime/base/engine.hpp"
#include "runtime/kernel/signals.hpp"
#include "runtime/threads/places.hpp"
#include "runtime/threads/scheduler.hpp"

namespace thrum {

constinit Forever<Warnings> the_warnings;

namespace {

bool is_live(ThreadId id) {
  auto live = scheduler().live();
  return std::any_of(live.begin(), live.end(), [id](const Thread* thread) { return thread->id == id; });
}

// Whether the thread may go on by itself, as far as this can be told.
bool may_go_on(const Thread& thread) {
  return thread.timer || thread.timed || thread.wait == Wait::spin || scheduler().enabled(thread) ||
         signals().deliverable(thread.slot) != 0;
}

// Whether the thread that must release the lock first has ended, or ends the process.
bool waits_for_the_dead(const Thread& thread) {
  if (thread.wait != Wait::lock && thread.wait != Wait::shared_lock) return false;
  ThreadId holder = lock_holder(thread.object);
  return holder != kNoThread && (holder == scheduler().current().id || !is_live(holder));
}

// The blocked threads that no thread is left to wake.
std::vector<const Thread*> blocked_for_ever() {
  std::vector<const Thread*> waiting;
  bool all_wait = true;
  for (const Thread* thread : scheduler().live()) {
    if (thread == &scheduler().current()) continue;
    if (may_go_on(*thread)) {
      all_wait = false;
    } else {
      waiting.push_back(thread);
    }
  }
  if (!all_wait) std::erase_if(waiting, [](const Thread* thread) { return !waits_for_the_dead(*thread); });
  return waiting;
}

}  // namespace

void look_at_exit() {
  if (scheduler().live().size() < 2) return;
  const bool records = scheduler().director().records_places();
  if (!warnings().is_watching() && !records) return;
  for (const Thread* thread : blocked_for_ever()) {
    Waiter waiter = scheduler().waiter(*thread);
    if (records) {
      current_trace().details.others.push_back(waiter);
      current_trace().details.other_places.push_back({described_place(waiter.object), {}, {}, thread->stack});
      continue;
    }
    warnings().note_blocked(waiter.operation, waiter.code);
  }
}

}  // namespace thrum
