// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scheduler creates a thread.
#include <algorithm>
#include <memory>
#include <utility>

#include "runtime/base/engine.hpp"
#include "runtime/kernel/signals.hpp"
#include "runtime/threads/hooks.hpp"
#include "runtime/threads/scheduler.hpp"
#include "runtime/threads/thread_pool.hpp"

namespace thrum {

void Scheduler::insert_live(Thread& thread) {
  auto after = std::find_if(course_.live.begin(), course_.live.end(),
                            [&](const Thread* other) { return world.names->before(thread.id, other->id); });
  course_.live.insert(after, &thread);
}

// A new slot while there are unused ones, so that a thread's addresses depend on the order of creation only.
// Then the first slot whose thread has ended.
std::uint16_t Scheduler::take_slot() {
  std::uint16_t slot = course_.slots_used;
  if (slot < kThreadsMax) {
    if (slot >= thread_pool().size()) need_more_threads();
    if (slots_.size() <= slot) slots_.push_back(std::make_unique<Thread>());
    slots_[slot]->random_draws = 0;
    ++course_.slots_used;
    spins_.add_thread(slot);
    return slot;
  }
  // Main keeps its slot, and the thread of the last event is still asked for its name.
  for (slot = 1; slot < kThreadsMax; ++slot) {
    Thread& former = *slots_[slot];
    if (former.detached) current_trace().reveals_threads = true;
    if (former.life != Life::ended || !former.released || &former == course_.last) continue;
    spins_.note_change(former);
    if (awaits_.is_on()) awaits_.note_change(former);
    spins_.forget_round(former);
    course_.events_of_former += std::exchange(former.events, 0u);
    return slot;
  }
  cut_execution(End::threads);
}

Thread* Scheduler::create(void* (*body)(void*), void* argument, const ThreadPool::StackRequest& stack) {
  constexpr std::uint16_t kNamesMax = kNoThread - 1;
  world.wrote = true;  // a loop that creates threads is no spin
  ++livelock_watch.hidden_changes;
  if (course_.created == kNamesMax) cut_execution(End::threads);
  Thread& parent = *course_.current;
  std::uint16_t slot = take_slot();
  Thread& child = *slots_[slot];
  if (!thread_pool().equip(slot, stack, child)) {
    child.life = Life::ended;
    child.released = true;
    return nullptr;
  }
  if (ThreadPool::is_stack(reinterpret_cast<std::uint64_t>(child.stack_bottom)))
    clear_stack(child, child.stack_top);
  child.number = course_.created++;
  child.id = world.names->child(parent.id, ++parent.children);
  child.slot = slot;
  child.life = Life::unsettled;
  static_cast<Standing&>(child) = {};
  child.cancellation = {};
  child.timer = child.detached = child.joined_by_someone = false;
  child.asked_about = 0;
  child.released = child.returns_int = false;
  child.others_when_spurious = Thread::kNever;
  child.atomic_depth = 0;
  child.events = child.children = 0;
  child.body = body;
  child.argument = argument;
  child.result = nullptr;
  child.invariant = {};
  child.destructors.clear();
  child.keys.clear();
  child.robust.clear();
  child.settings.reset();
  insert_live(child);
  signals().add_thread(slot, parent.slot);
  if (world.judges_races) judge_creation(parent, child);
  if (world.names_events) name_creation(parent, child);
  return &child;
}

}  // namespace thrum
