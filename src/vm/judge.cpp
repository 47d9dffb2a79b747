// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data races: what an operation makes known to its thread, and what a race is reported as. The rules are
// those of docs/semantics.md, "Data races".
#include <algorithm>
#include <string>

#include "vm/machine.hpp"

namespace thrum::vm {

namespace {

// A second clock for the object, in the same cell of the detector. For a lock: the clocks of readers, which
// are ordered before writers only. For a barrier: what all threads had done when its last phase ended.
std::uint64_t second_clock(std::uint64_t object) { return object ^ 1; }

}  // namespace

MemoryOrder memory_order(int order) {
  switch (order) {
    case __ATOMIC_RELAXED: return MemoryOrder::relaxed;
    case __ATOMIC_CONSUME:
    case __ATOMIC_ACQUIRE: return MemoryOrder::acquire;
    case __ATOMIC_RELEASE: return MemoryOrder::release;
    default: return MemoryOrder::acquire_release;
  }
}

bool Machine::judge(AccessKind kind, std::uint64_t address, std::uint64_t size, std::uint64_t code_number,
                    bool is_operation) {
  if (over) return false;
  if (__builtin_expect(recognises_, 0)) recognise(kind, address, size, code_number, is_operation);
  if (kind == AccessKind::free) {
    const std::uint16_t me = current().number;
    freed_.push_back(
        {address, static_cast<std::uint32_t>(size), kind, code_number, {races.clock(me)[me], me}});
  }
  if (!races.access(current().number, kind, address, size, marked_code(current(), kind, code_number)))
    return true;
  return check_races(address, size);
}

bool Machine::check_races(std::uint64_t address, std::uint64_t size) {
  for (Race race : races.races()) {
    if (is_passed_over(race)) continue;
    if (is_meant(race)) {
      passed_over_races = true;
      continue;
    }
    if (race.later.kind == AccessKind::free) {  // of the block; the detector has a piece of it
      race.later.address = address;
      race.later.size = static_cast<std::uint32_t>(size);
    }
    fail_by_race(race);
    return false;
  }
  return true;
}

// A race that is explored.
bool Machine::is_passed_over(const Race& race) const {
  return known_races.count() != 0 && known_races.holds(code_of_access(race.earlier.code & ~kLeftOut),
                                                       code_of_access(race.later.code & ~kLeftOut));
}

void Machine::allow_races(std::uint64_t address, std::uint64_t size) {
  allowed_.emplace_back(address, address + size);
  if (!in_execution) allowed_before_ = allowed_.size();
}

bool Machine::is_meant(const Race& race) const {
  if (((race.earlier.code | race.later.code) & kLeftOut) != 0) return true;
  return is_allowed(race.address);
}

bool Machine::is_allowed(std::uint64_t address) const {
  return std::any_of(allowed_.begin(), allowed_.end(), [address](const auto& bytes) {
    return address - bytes.first < bytes.second - bytes.first;
  });
}

// A mark in the code of an access that the program asks not to judge.
std::uint64_t Machine::marked_code(const Thread& thread, AccessKind kind, std::uint64_t code_number) {
  const bool reads = kind == AccessKind::plain_read && (thread.left_out & 0xffff) != 0;
  const bool writes = kind == AccessKind::plain_write && thread.left_out >> 16 != 0;
  return reads || writes ? code_number | kLeftOut : code_number;
}

// Each releases. The last one, which finds that nobody else uses it, acquires.
void Machine::note_quiet_update(const Thread& thread, std::uint64_t address, std::uint64_t value,
                                std::uint8_t size) {
  const std::uint64_t sign = std::uint64_t{1} << (size * 8 - 1);
  const std::uint64_t cut = size == 8 ? value : value & ((std::uint64_t{1} << size * 8) - 1);
  races.release(thread.number, address, true);
  if (cut == 0 || (cut & sign) != 0) races.acquire(thread.number, address);
}

void Machine::fail_by_race(const Race& race) {
  const AccessKind first = std::max(race.earlier.kind, race.later.kind);
  const AccessKind second = std::min(race.earlier.kind, race.later.kind);
  Failure failure{BugKind::data_race,
                  std::string(access_kind_name(first)) + " and " + std::string(access_kind_name(second)) +
                      " of the same memory, which nothing orders",
                  current().id,
                  code_of_access(race.later.code),
                  {}};
  tell_earlier(race.earlier, failure);
  fail_with(std::move(failure), race.later.kind, race.later.address, race.later.size, race.later.code);
}

// The access that fails comes last.
void Machine::fail_with(Failure failure, AccessKind kind, std::uint64_t address, std::uint64_t size,
                        std::uint64_t code_number) {
  failure.accesses.push_back({current().id, kind, static_cast<std::uint32_t>(size), address,
                              code_of_access(code_number), current().events, 0});
  write_down(kind, address, size, code_number);
  fail(std::move(failure));
}

void Machine::fail_freed_twice(std::uint64_t address) {
  Failure failure{BugKind::double_free, "a block is freed twice", current().id, code_of(current()), {}};
  const Heap::Block block = heap.find(address).value_or(heap.block_at(address));
  tell_freed(block, failure);
  fail_with(std::move(failure), AccessKind::free, address, std::max<std::uint64_t>(block.size, 1),
            code_of(current()));
}

// Which thread freed the block, if that is known.
void Machine::tell_freed(const Heap::Block& block, Failure& failure) {
  const auto last = std::find_if(freed_.rbegin(), freed_.rend(), [&](const Access& access) {
    return access.address - block.begin < std::max<std::uint64_t>(block.size, 1);
  });
  if (last != freed_.rend()) tell_earlier(*last, failure);
}

std::uint64_t Machine::code_of_access(std::uint64_t code_number) const {
  return is_code(code_number) ? code_number : code_of(reinterpret_cast<const Instruction*>(code_number));
}

// Its details are known if a further run has looked for it.
void Machine::tell_earlier(const Access& access, Failure& failure) {
  if (!recognised_) {
    earlier_ = {access.when.thread, access.when.clock, access.address, access.code};
    recognised_ = MemoryAccess{race_names_[access.when.thread],
                               access.kind,
                               access.size,
                               access.address,
                               code_of_access(access.code),
                               0,
                               0};
    recognised_places_ = {{}, {}, {}, {place_of(recognised_->code + 1)}};
  }
  recognised_places_.object = director.records_places() ? described_place(access.address) : Place{};
  failure.accesses.push_back(*recognised_);
}

void Machine::recognise(AccessKind kind, std::uint64_t address, std::uint64_t size, std::uint64_t code_number,
                        bool is_operation) {
  const std::uint16_t me = current().number;
  if (recognised_ || me != earlier_->thread || code_number != earlier_->code ||
      races.clock(me)[me] != earlier_->clock || earlier_->address - address >= size)
    return;
  recognised_ = MemoryAccess{
      current().id,     kind, static_cast<std::uint32_t>(size), address, code_of_access(code_number),
      current().events, 0};
  recognised_places_ = {described_place(address), {}, {}, running_stack()};
  if (!is_operation) write_down(kind, address, size, code_number);
}

// Records a plain access that matters as an event of the trace that does not count.
void Machine::write_down(AccessKind kind, std::uint64_t address, std::uint64_t size,
                         std::uint64_t code_number) {
  const bool is_plain =
      kind == AccessKind::plain_read || kind == AccessKind::plain_write || kind == AccessKind::free;
  if (!is_plain || !records_events()) return;
  Thread& me = current();
  const Thread before = me;
  me.operation = kind == AccessKind::plain_read ? Operation::plain_load
                 : kind == AccessKind::free     ? Operation::deallocate
                                                : Operation::plain_store;
  me.object = address;
  me.size = static_cast<std::uint32_t>(size);
  me.code = code_of_access(code_number);
  record(me, 0, 0, Outcome::done);
  me = before;
}

// Judged like an atomic write: to destroy the object, or to write or free its memory, without order is a
// race.
void Machine::use_object(const Thread& thread) {
  constexpr std::uint32_t kPart = 4;
  judge(AccessKind::atomic_write, thread.object, kPart, thread.code);
}

void Machine::record_access(const Thread& thread, Operation operation, bool writes, std::uint64_t address,
                            std::uint64_t size) {
  RecordedAccess& access = trace->accesses.emplace_back();
  access.event = static_cast<std::uint32_t>(trace->events.size());
  access.thread = thread.id;
  access.operation = operation;
  access.writes = writes;
  access.in_section = thread.atomic_depth != 0;
  access.size = static_cast<std::uint32_t>(size);
  access.object = address;
}

void Machine::note_footprint(const Thread& thread, bool writes, std::uint64_t address, std::uint64_t size) {
  if (!records_events() || !footprints_.is_new(thread.id, thread.events, writes, address, size)) return;
  record_access(thread, writes ? Operation::plain_store : Operation::plain_load, writes, address, size);
}

bool Machine::judge_free(const Thread& thread, std::uint64_t block, std::uint64_t size, bool is_operation) {
  if (size == 0) return true;
  if (records_footprints) note_footprint(thread, true, block, size);
  return !judges || judge(AccessKind::free, block, size, program_code_of(thread), is_operation);
}

bool Machine::judge_new_object(const Thread& thread, std::uint64_t object) {
  constexpr std::uint32_t kPart = 4;
  if (records_footprints) note_footprint(thread, true, object, kPart);
  return !judges || judge(AccessKind::plain_write, object, kPart, code_of(thread));
}

void Machine::note_foreign(AccessKind kind, std::uint64_t address, std::uint64_t size,
                           std::uint64_t code_number) {
  const auto slot = static_cast<std::uint32_t>((address - kThreads) / kThreadSize);
  if (slot == current().slot || slot >= course().slots_used || thread(slot).life == Life::ended) return;
  const std::uint16_t me = current().number;
  foreign_.push_back(
      {thread(slot).number,
       {address, static_cast<std::uint32_t>(size), kind, code_number, {races.clock(me)[me], me}}});
}

// Earlier accesses of other threads to the ended thread's stack or storage must be ordered before its end.
// Whether they are; else the execution has failed.
bool Machine::end_judged(const Thread& thread) {
  if (records_footprints) note_footprint(thread, true, thread.stack_limit(), thread.stack_size);
  if (!judges) return true;
  for (const Foreign& use : foreign_) {
    if (use.owner != thread.number || races.clock(thread.number).knows(use.access.when)) continue;
    const Access end{use.access.address, use.access.size, AccessKind::thread_end, code_of(thread), {}};
    const Race race{use.access, end, use.access.address};
    if (is_passed_over(race)) {  // no scheduling point can stand before it
      if (!unexplored) unexplored = running_stack();
      continue;
    }
    fail_by_race(race);
    return false;
  }
  return true;
}

void Machine::synchronise(const Thread& thread, std::uint64_t value, std::uint64_t operand, Outcome outcome) {
  const std::uint16_t me = thread.number;
  const std::uint64_t object = thread.object;
  switch (thread.operation) {
    case Operation::lock:
    case Operation::try_lock:
      use_object(thread);
      if (outcome != Outcome::failed) races.acquire(me, object, second_clock(object));
      return;
    case Operation::shared_lock:
    case Operation::try_shared_lock:
      use_object(thread);
      if (outcome != Outcome::failed) races.acquire(me, object);
      return;
    case Operation::lock_queue:  // value: the number of waiting writers; 0: it has the lock
      use_object(thread);
      if (value == 0) races.acquire(me, object, second_clock(object));
      return;
    case Operation::unlock:
      use_object(thread);
      races.release(me, object, false);
      return;
    case Operation::shared_unlock:
      use_object(thread);
      races.release(me, second_clock(object), true);
      return;
    case Operation::lock_destroy: judge(AccessKind::plain_write, object, sizeof(void*), thread.code); return;
    case Operation::wait_release:
      use_object(thread);
      races.release(me, operand, false);
      return;
    case Operation::wait_reacquire: races.acquire(me, operand); return;
    case Operation::signal:
    case Operation::broadcast: use_object(thread); return;
    case Operation::semaphore_post:
      use_object(thread);
      races.release(me, object, true);
      return;
    case Operation::semaphore_wait:
    case Operation::semaphore_try_wait:
      use_object(thread);
      if (outcome == Outcome::done) races.acquire(me, object);
      return;
    case Operation::barrier_wait:  // value: the number of threads that have arrived
      use_object(thread);
      races.release(me, object, value > 1);
      if (operand == 0) return;  // not the last thread of the phase
      races.acquire(me, object);
      races.release(me, second_clock(object), false);
      return;
    case Operation::barrier_leave: races.acquire(me, second_clock(object)); return;
    case Operation::once_enter:
    case Operation::atomic_section: races.acquire(me, object); return;
    case Operation::once_leave: races.release(me, object, false); return;
    case Operation::cancel: races.release(me, object, true); return;
    case Operation::cancel_test:
    case Operation::cancelled: races.acquire(me, object); return;
    default: return;
  }
}

}  // namespace thrum::vm
