// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/access_knowers.hpp"

namespace thrum {

namespace {

constexpr std::uint64_t kLockBytes = 8;  // that count as written where a lock is destroyed

}  // namespace

AccessKnowers::AccessKnowers(const ThreadTrees& trees, const TreeMachine& machine, std::size_t first_word)
    : trees_(trees),
      machine_(machine),
      first_word_(first_word),
      threads_(machine.threads()),
      objects_(3 * threads_),
      sections_(objects_ + 2 * machine.objects()),
      cells_(sections_ + 1) {}

void AccessKnowers::set(State& state, std::size_t bit, bool knows) const {
  std::uint64_t& word = state[first_word_ + bit / 64];
  const std::uint64_t mask = std::uint64_t{1} << bit % 64;
  word = knows ? word | mask : word & ~mask;
}

// Where the access begins there begins a cell.
std::size_t AccessKnowers::value(Node access) const {
  std::size_t bit = 0;
  machine_.visit_cells(access, [&](std::uint32_t cell) { bit = bit == 0 ? cells_ + cell : bit; });
  return bit;
}

// One that does not acquire lets its thread know at its next fence that does.
void AccessKnowers::read(State& state, Node read, Node outcome) const {
  const ThreadTrees::Access& own = trees_.access(read);
  if (!own.is_atomic || trees_.is_of_futex_wait(read)) return;
  const ThreadId thread = trees_[read].thread;
  const bool is_known = has(state, value(read));
  add(state, has_read(thread), is_known);
  if (own.orders || trees_.acquires(outcome)) add(state, thread, is_known);
}

// A read-modify-write passes on what it has read, besides (release sequences). A plain write begins the life
// of a new object.
void AccessKnowers::write(State& state, Node write) const {
  const ThreadTrees::Access& own = trees_.access(write);
  const ThreadId thread = trees_[write].thread;
  if (!own.is_atomic) {
    machine_.visit_cells(write, [&](std::uint32_t cell) { set(state, cells_ + cell, false); });
    return forget_objects(state, own.object, own.size);
  }
  const bool tells = has(state, own.orders ? thread : fence(thread));
  const bool keeps = own.is_update && has(state, value(write));
  set(state, value(write), tells || keeps);
}

void AccessKnowers::forget_objects(State& state, std::uint64_t begin, std::uint64_t size) const {
  machine_.visit_objects(begin, begin + size, [&](std::uint32_t number) {
    set(state, object(number), false);
    set(state, second(number), false);
  });
}

void AccessKnowers::perform(State& state, Node node) const {
  using Kind = ThreadTrees::Kind;
  const ThreadTrees::Entry& entry = trees_[node];
  const bool is_access = entry.kind == Kind::read || entry.kind == Kind::write;
  if (entry.kind == Kind::write) write(state, node);
  if (entry.kind == Kind::event) perform_event(state, node);
  if (entry.kind == Kind::start && entry.parent != ThreadTrees::kNone)
    add(state, entry.thread, has(state, trees_[entry.parent].thread));
  if (is_access && trees_.access(node).in_section) add(state, sections_, has(state, entry.thread));
}

void AccessKnowers::perform_event(State& state, Node event) const {
  const ThreadTrees::Operation& own = trees_.operation(event);
  const ThreadId thread = trees_[event].thread;
  const std::uint32_t number = machine_.object_of(event);
  const bool succeeds = own.way == 0;
  switch (own.operation) {
    case Operation::lock:
    case Operation::try_lock:
    case Operation::lock_queue:
      return add(state, thread, succeeds && (has(state, object(number)) || has(state, second(number))));
    case Operation::shared_lock:
    case Operation::try_shared_lock:
    case Operation::semaphore_wait:
    case Operation::semaphore_try_wait: return add(state, thread, succeeds && has(state, object(number)));
    case Operation::once_enter: return add(state, thread, has(state, object(number)));
    case Operation::unlock:
    case Operation::once_leave: return set(state, object(number), has(state, thread));
    case Operation::shared_unlock: return add(state, second(number), has(state, thread));
    case Operation::semaphore_post: return add(state, object(number), has(state, thread));
    case Operation::wait_release: return set(state, object(machine_.mutex_of(event)), has(state, thread));
    case Operation::wait_reacquire: return add(state, thread, has(state, object(machine_.mutex_of(event))));
    case Operation::barrier_wait: return arrive(state, event);
    case Operation::barrier_leave: return add(state, thread, has(state, second(number)));
    case Operation::atomic_section:
      add(state, thread, has(state, sections_));
      return add(state, sections_, has(state, thread));
    case Operation::lock_destroy: return forget_objects(state, own.object, kLockBytes);
    case Operation::fence: return pass_fence(state, event);
    case Operation::thread_join: return add(state, thread, has(state, own.other));
    case Operation::others_ended: return set(state, thread, true);
    default: return;
  }
}

// The last one knows of all, and lets them know when they leave.
void AccessKnowers::arrive(State& state, Node arrival) const {
  const ThreadId thread = trees_[arrival].thread;
  const std::uint32_t number = machine_.object_of(arrival);
  add(state, object(number), has(state, thread));
  if (trees_.operation(arrival).way == 0) return;
  add(state, thread, has(state, object(number)));
  set(state, second(number), has(state, thread));
  set(state, object(number), false);
}

void AccessKnowers::pass_fence(State& state, Node event) const {
  const ThreadId thread = trees_[event].thread;
  const std::uint64_t effect = trees_.effect(event);
  if ((effect & ThreadTrees::kAcquires) != 0) add(state, thread, has(state, has_read(thread)));
  if ((effect & ThreadTrees::kReleases) != 0) set(state, fence(thread), has(state, thread));
}

}  // namespace thrum
