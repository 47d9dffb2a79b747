// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic operations, and accesses to volatile objects, which are visible operations as well.
#include <cstring>

#include "vm/heap_symmetry.hpp"
#include "vm/machine.hpp"
#include "vm/run.hpp"

namespace thrum::vm {

namespace {

struct Value {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend bool operator==(const Value&, const Value&) = default;
};

Value in_memory(std::uint64_t address, std::uint8_t size) {
  Value value;
  std::memcpy(&value, &at<char>(address), size);
  return value;
}

Value in_registers(const std::uint64_t* registers, Slot slot, std::uint8_t size) {
  if (size > 8) return {registers[slot], registers[slot + 1]};
  return {loop::low(registers[slot], size), 0};
}

void put(std::uint64_t* registers, Slot slot, const Value& value, std::uint8_t size) {
  registers[slot] = value.low;
  if (size > 8) registers[slot + 1] = value.high;
}

Value updated(Update update, const Value& old, const Value& by, std::uint8_t size) {
  if (size <= 8) return {loop::low(loop::updated(update, old.low, by.low), size), 0};
  using Wide = unsigned __int128;
  const auto whole = [](const Value& value) { return Wide{value.high} << 64 | value.low; };
  Wide result = whole(by);
  switch (update) {
    case Update::exchange: break;
    case Update::add: result = whole(old) + whole(by); break;
    case Update::subtract: result = whole(old) - whole(by); break;
    case Update::bit_and: result = whole(old) & whole(by); break;
    case Update::bit_or: result = whole(old) | whole(by); break;
    case Update::bit_xor: result = whole(old) ^ whole(by); break;
    case Update::bit_nand: result = ~(whole(old) & whole(by)); break;
  }
  return {static_cast<std::uint64_t>(result), static_cast<std::uint64_t>(result >> 64)};
}

}  // namespace

void Machine::arrive_at_atomic(Thread& thread, const AtomicSite& site, const std::uint64_t* registers) {
  if (site.operation == Operation::read_modify_write || site.operation == Operation::store) {
    thread.argument = in_registers(registers, site.value, site.size).low;
    thread.update = site.update;
  } else if (site.operation == Operation::compare_exchange) {
    const bool in_place = site.expected_in_memory && in_arena(registers[site.value], site.size);
    thread.argument = in_place ? in_memory(registers[site.value], site.size).low
                               : in_registers(registers, site.value, site.size).low;
    thread.update = Update::exchange;
  }
  arrive(site.operation, registers[site.address], site.size);
}

// One atomic operation while it is done.
struct Machine::AtomicStep {
  Thread& thread;
  const AtomicSite& site;
  std::uint64_t* registers;
  std::uint64_t address;
  std::uint64_t code_number;
  bool is_judged;
  bool is_event;
};

bool Machine::perform_atomic(Thread& thread, const AtomicSite& site, std::uint64_t* registers) {
  const std::uint64_t address = registers[site.address];
  const bool only_reads = site.operation == Operation::load;
  if (!(only_reads ? can_read(address, site.size) : can_write(address, site.size))) {
    fault_access(address, site.size, !only_reads);
    return false;
  }
  if (!site.is_volatile && address % site.size != 0) {
    fail(BugKind::undefined_behaviour, "an atomic access at an address that is not a multiple of its size");
    return false;
  }
  if (__builtin_expect(checks_ != nullptr, 0) && !access_in_invariant(!only_reads, address)) return false;
  if (__builtin_expect(symmetry != nullptr, 0) && site.operation != Operation::store) {
    const bool exchanges =
        only_reads || site.operation == Operation::compare_exchange || (site.update == Update::exchange);
    if (site.size < sizeof(std::uint64_t) || !exchanges) symmetry->note_part(address);
  }
  const bool is_quiet = thread.top->function->is_quiet;
  const AtomicStep step{thread,
                        site,
                        registers,
                        address,
                        reinterpret_cast<std::uint64_t>(thread.top->next),
                        judges && !is_quiet,
                        in_execution && !is_quiet};
  switch (site.operation) {
    case Operation::load: return load(step);
    case Operation::store: return store(step);
    case Operation::compare_exchange: return compare_exchange(step);
    default: return update(step);
  }
}

// The operation is an event that asked for that order. False: the execution is over.
bool Machine::report(const AtomicStep& step, bool changes, std::uint64_t value, std::uint64_t operand,
                     Outcome outcome, int order) {
  if (!step.is_event || over) return !over;
  if (order != __ATOMIC_SEQ_CST && !step.site.is_volatile && last_weaker_ != &step.site) {
    last_weaker_ = &step.site;
    weaker_atomics_.insert(current().code);
  }
  const std::size_t before = trace->events.size();
  done(changes, value, operand, outcome);
  if (trace->events.size() != before && !step.site.is_volatile && order != __ATOMIC_SEQ_CST) {
    Event& event = trace->events.back();
    event.acquires = order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
    event.releases = order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL;
  }
  return !over;
}

// found: what the race detector said. False: the execution has failed.
bool Machine::passes(const AtomicStep& step, bool found) {
  return !found || check_races(step.address, step.site.size);
}

// It is judged as a plain access, and may race.
bool Machine::judge_volatile(const AtomicStep& step, AccessKind kind) {
  const std::uint8_t size = step.site.size;
  if (records_footprints) note_footprint(step.thread, kind == AccessKind::plain_write, step.address, size);
  return judge(kind, step.address, size, step.code_number);
}

bool Machine::load(const AtomicStep& step) {
  const std::uint8_t size = step.site.size;
  const std::uint16_t me = step.thread.number;
  if (step.is_judged) {
    const bool fine = step.site.is_volatile
                          ? judge_volatile(step, AccessKind::plain_read)
                          : passes(step, races.atomic_load(me, step.address, size,
                                                           memory_order(step.site.order), step.code_number));
    if (!fine) return false;
  }
  const Value value = in_memory(step.address, size);
  put(step.registers, step.site.result, value, size);
  return report(step, false, value.low, 0, Outcome::done, step.site.order);
}

bool Machine::store(const AtomicStep& step) {
  const std::uint8_t size = step.site.size;
  const std::uint16_t me = step.thread.number;
  const Value old = in_memory(step.address, size);
  if (step.is_judged) {
    const bool fine = step.site.is_volatile
                          ? judge_volatile(step, AccessKind::plain_write)
                          : passes(step, races.atomic_store(me, step.address, size,
                                                            memory_order(step.site.order), step.code_number));
    if (!fine) return false;
  }
  const Value value = in_registers(step.registers, step.site.value, size);
  write(step.address, &value, size);
  return report(step, true, old.low, value.low, Outcome::done, step.site.order);
}

// A read-modify-write changes the value or, in C++'s order, does nothing that others could learn from.
bool Machine::judge_update(const AtomicStep& step, bool changes) {
  if (!step.is_judged) return true;
  const MemoryOrder order = memory_order(step.site.order);
  const std::uint16_t me = step.thread.number;
  return passes(
      step, changes ? races.read_modify_write(me, step.address, step.site.size, order, step.code_number)
                    : races.read_modify_nothing(me, step.address, step.site.size, order, step.code_number));
}

bool Machine::compare_exchange(const AtomicStep& step) {
  const AtomicSite& site = step.site;
  const std::uint8_t size = site.size;
  const std::uint64_t expected_at = step.registers[site.value];
  if (site.expected_in_memory && !may_write(expected_at, size)) return false;
  const Value old = in_memory(step.address, size);
  const Value expected =
      site.expected_in_memory ? in_memory(expected_at, size) : in_registers(step.registers, site.value, size);
  const Value desired = in_registers(step.registers, site.desired, size);
  const bool succeeds = old == expected;
  if (succeeds) {
    if (!judge_update(step, old != desired)) return false;
    write(step.address, &desired, size);
  } else if (step.is_judged &&
             !passes(step, races.atomic_load(step.thread.number, step.address, size,
                                             memory_order(site.order_if_failed), step.code_number))) {
    return false;
  }
  if (site.expected_in_memory) {
    if (!succeeds) write(expected_at, &old, size);
    step.registers[site.result] = succeeds;
  } else {
    put(step.registers, site.result, old, size);
  }
  if (!succeeds) return report(step, false, old.low, desired.low, Outcome::failed, site.order_if_failed);
  return report(step, old != desired, old.low, desired.low,
                old == desired ? Outcome::unchanged : Outcome::done, site.order);
}

bool Machine::update(const AtomicStep& step) {
  const std::uint8_t size = step.site.size;
  const Value old = in_memory(step.address, size);
  const Value value =
      updated(step.site.update, old, in_registers(step.registers, step.site.value, size), size);
  if (!judge_update(step, value != old)) return false;
  if (value != old) write(step.address, &value, size);
  put(step.registers, step.site.result, old, size);
  return report(step, value != old, old.low, value.low, value == old ? Outcome::unchanged : Outcome::done,
                step.site.order);
}

// Of the operation that the thread is about to do, as it would be judged now.
AccessKind Machine::kind_of_atomic(const Thread& thread) const {
  if (thread.in_call)
    return thread.operation == Operation::load ? AccessKind::atomic_read : AccessKind::atomic_write;
  const Function& function = *thread.top->function;
  const AtomicSite& site = function.atomics[static_cast<std::uint32_t>(thread.top->next->immediate)];
  if (site.is_volatile)
    return site.operation == Operation::load ? AccessKind::plain_read : AccessKind::plain_write;
  if (site.operation == Operation::load) return AccessKind::atomic_read;
  if (site.operation != Operation::compare_exchange) return AccessKind::atomic_write;
  const std::uint64_t* const registers = thread.top->registers;
  const std::uint64_t place = registers[site.value];
  if (site.expected_in_memory && !can_read(place, site.size)) return AccessKind::atomic_read;
  const Value expected =
      site.expected_in_memory ? in_memory(place, site.size) : in_registers(registers, site.value, site.size);
  const bool succeeds = can_read(thread.object, site.size) && in_memory(thread.object, site.size) == expected;
  return succeeds ? AccessKind::atomic_write : AccessKind::atomic_read;
}

}  // namespace thrum::vm
