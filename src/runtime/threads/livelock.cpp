// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by programs: tests/programs/{correct,wrong}/{fair,livelock}.
#include "runtime/threads/livelock.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "runtime/base/engine.hpp"
#include "runtime/kernel/process_state.hpp"
#include "runtime/kernel/signals.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/threads/loader.hpp"
#include "runtime/threads/lock_misuse.hpp"
#include "runtime/threads/record.hpp"
#include "runtime/threads/scheduler.hpp"
#include "runtime/threads/stacks.hpp"
#include "runtime/threads/thread_pool.hpp"
#include "runtime/threads/timers.hpp"
#include "support/digest.hpp"

namespace thrum {

constinit Forever<LivelockDetector> the_livelock_detector;
constinit LivelockWatch livelock_watch;

namespace {

constexpr std::ptrdiff_t kLivelockStackMax = 1 << 20;  // bytes; with a deeper stack there is no digest
constexpr std::size_t kLivelockVisitsMax = 4096;
constexpr std::size_t kWatchedEventsMax = 1 << 15;  // of a watched execution
constexpr std::uint32_t kRoundsMax = 1024;          // operations, in all rounds that are shown

template <typename... Number>
void add_numbers(Digest& digest, Number... number) {
  std::uint64_t numbers[] = {static_cast<std::uint64_t>(number)...};
  digest.add(reinterpret_cast<const char*>(numbers), sizeof numbers);
}

void add_address(Digest& digest, const void* address) {
  add_numbers(digest, reinterpret_cast<std::uint64_t>(address));
}

void add_registers(Digest& digest, const CallerState& caller) {
  digest.add(reinterpret_cast<const char*>(caller.registers), sizeof caller.registers);
}

// Adds a thread's registers and its stack from there on. False if the stack is too deep or not known.
bool add_frames(Digest& digest, const Thread& thread, const CallerState& caller) {
  add_registers(digest, caller);
  const auto* begin = reinterpret_cast<const char*>(caller.stack_pointer);
  if (begin < thread.stack_bottom || begin > thread.stack_top || thread.stack_top - begin > kLivelockStackMax)
    return false;
  digest.add(begin, static_cast<std::size_t>(thread.stack_top - begin));
  return true;
}

void add_standing(Digest& digest, const Thread& thread) {
  const bool runs_out = thread.timed && !scheduler().is_endless(thread);
  std::uint64_t left = runs_out ? thread.deadline_ns - scheduler().now_ns() : 0;
  add_numbers(digest, thread.operation, thread.wait, thread.object, thread.size, thread.code, thread.lock,
              thread.signals, left, thread.woken, thread.interrupted, thread.cancelled, thread.forced,
              scheduler().enabled(thread));
  add_address(digest, thread.joined);
}

// Adds the runtime's own data on a thread, and its thread-local storage.
void add_thread(Digest& digest, const Thread& thread) {
  const Cancellation& cancellation = thread.cancellation;
  add_numbers(digest, thread.id, thread.children, thread.random_draws, thread.destructors.size(),
              cancellation.pending, cancellation.disabled, cancellation.asynchronous);
  add_address(digest, cancellation.cleanup);
  for (const SpecificValue& specific : thread.keys) {
    add_address(digest, specific.value);
    add_numbers(digest, specific.generation);
  }
  std::span<const char> storage = thread_pool().storage(thread.slot);
  digest.add(storage.data(), storage.size());
}

void add_memory(Digest& digest) {
  snapshot().add_to(digest);
  std::vector<std::span<const char>> heap;
  the_heap.add_changes(scheduler().slots_used(), heap);
  for (std::span<const char> part : heap) digest.add(part.data(), part.size());
}

}  // namespace

// A cheap digest: it differs only for states that differ, but may be equal for different states.
std::uint64_t LivelockDetector::outline() const {
  Digest digest;
  add_numbers(digest, livelock_watch.hidden_changes);
  for (const Thread* thread : scheduler().live()) {
    add_numbers(digest, thread->id, thread->operation, thread->wait, thread->object, thread->code);
  }
  add_registers(digest, thrum_caller);
  add_numbers(digest, thrum_caller.stack_pointer);
  return digest.value();
}

// Digest of the state of the whole program. None if the state depends on something that is not looked at.
std::optional<std::uint64_t> LivelockDetector::state(const Thread& running) const {
  if (signals().used() || timers().changed() || loader().has_error() || thread_pool().has_late_storage())
    return std::nullopt;
  Digest digest;
  add_numbers(digest, livelock_watch.hidden_changes, process_state().changes(), floating_point_modes());
  add_memory(digest);
  // Arguments and environment lie above main's frames.
  const char* main_frames = scheduler().thread_in_slot(0).stack_top;
  digest.add(main_frames, snapshot().stack_end() - reinterpret_cast<std::uint64_t>(main_frames));
  for (const Thread* thread : scheduler().live()) {
    const bool runs = thread == &running;
    const bool stands = thread->life == Life::standing || thread->wait == Wait::join;
    if (thread->timer || thread->outer || (!runs && !stands)) return std::nullopt;
    add_thread(digest, *thread);
    add_standing(digest, *thread);
    if (!runs && thread->slot >= standing_.size()) return std::nullopt;
    if (!add_frames(digest, *thread, runs ? thrum_caller : standing_[thread->slot])) return std::nullopt;
  }
  for (std::uint16_t slot = 0; slot < scheduler().slots_used(); ++slot) {
    const Thread& thread = scheduler().thread_in_slot(slot);
    add_numbers(digest, thread.life == Life::ended, thread.detached, thread.joined_by_someone,
                thread.released);
  }
  return digest.value();
}

void LivelockDetector::arrive(Operation operation, std::uint64_t sleeps_ns, std::uint64_t code) {
  Thread& me = scheduler().current();
  const FairScheduler* fair = scheduler().director().fair();
  if (!fair || given_up_ || me.atomic_depth != 0) return;
  if (livelock_watch.on && current_trace().events.size() > kWatchedEventsMax) return give_up();
  me.operation = operation;
  me.object = sleeps_ns;
  me.code = code;
  me.wait = Wait::nothing;
  me.timed = false;
  std::optional<std::uint64_t> what = livelock_watch.on ? state(me) : outline();
  if (!what) return;
  Visit now{*what, fair->choices(), static_cast<std::uint32_t>(current_trace().events.size())};
  auto before = std::find_if(visits_.rbegin(), visits_.rend(), [&](const Visit& visit) {
    return visit.state == now.state && fair->is_fair_since(visit.choices);
  });
  if (before == visits_.rend()) {
    if (visits_.size() == kLivelockVisitsMax) visits_.clear();
    visits_.push_back(now);
    return;
  }
  if (livelock_watch.on) fail_by(*before, now);
  livelock_watch.on = true;
  standing_.clear();
  start_anew();
}

void LivelockDetector::give_up() {
  given_up_ = true;
  livelock_watch.on = false;
  record_as_wanted();
}

void LivelockDetector::fail_by(const Visit& begin, const Visit& end) {
  check_self_locks();
  Thread& me = scheduler().current();
  me.object = 0;
  note_stack(me);
  current_trace().lasso = {begin.events, end.events};
  Failure failure{BugKind::livelock, "the threads go round in loops for ever", kMainThread, 0, {}};
  for (const Thread* thread : scheduler().live()) failure.waiters.push_back(scheduler().waiter(*thread));
  failure.thread = failure.waiters.front().thread;
  failure.code = failure.waiters.front().code;
  fail(std::move(failure));
}

void LivelockDetector::note_frames(const Thread& thread, const void* frames) {
  if (thread.slot >= standing_.size()) standing_.resize(thread.slot + std::size_t{1});
  standing_[thread.slot] = kept_registers(frames);
}

// Clears as deep as the runtime's own calls go.
[[gnu::noinline]] void LivelockDetector::wipe_dead_stack() {
  char dead[16 << 10];
  std::memset(dead, 0, sizeof dead);
  asm volatile("" : : "r"(dead) : "memory");
}

bool LivelockDetector::shows_rounds() const {
  if (!rounds_.begun) return false;
  const std::vector<Event>& events = current_trace().events;
  ThreadId last = kNoThread;
  return std::all_of(events.begin() + rounds_.begin, events.end(), [&last](const Event& event) {
    const bool goes_on = event.thread == std::exchange(last, event.thread);
    return goes_on || event.forced;
  });
}

Thread* LivelockDetector::next_round() {
  if (!scheduler().director().records_places()) return nullptr;
  Trace& trace = current_trace();
  if (!rounds_.begun) {
    rounds_ = {true, static_cast<std::uint32_t>(trace.events.size())};
  } else if (!shows_rounds()) {
    return nullptr;
  }
  std::span<Thread* const> live = scheduler().live();
  for (; rounds_.thread < live.size(); ++rounds_.thread, rounds_.home = 0) {
    Thread& thread = *live[rounds_.thread];
    if (thread.wait != Wait::spin || thread.life != Life::standing || thread.code == rounds_.home) continue;
    if (rounds_.home == 0) rounds_.home = thread.code;
    return ++rounds_.operations > kRoundsMax ? nullptr : &thread;
  }
  trace.lasso = {rounds_.begin, static_cast<std::uint32_t>(trace.events.size())};
  return nullptr;
}

void begin_livelock_watch() { livelock_detector().reset(); }

void watch_standing(const Thread& thread, const void* frames) {
  livelock_detector().note_standing(thread, frames);
}

void tidy_stack() { livelock_detector().tidy_stack(); }

void watch_yield(std::uint64_t code) { livelock_detector().arrive(Operation::yield, 0, code); }

bool livelock_shows_rounds() { return livelock_detector().shows_rounds(); }

Thread* next_livelock_round() { return livelock_detector().next_round(); }

}  // namespace thrum
