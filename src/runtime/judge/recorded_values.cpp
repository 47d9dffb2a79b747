// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/judge/recorded_values.hpp"

#include <sys/syscall.h>
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "runtime/base/page.hpp"
#include "runtime/threads/hooks.hpp"
#include "runtime/threads/record.hpp"
#include "support/raw_syscall.hpp"

namespace thrum {

constinit Forever<RecordedValues> the_recorded_values;

namespace {

constexpr std::uint64_t kCell = SharedCells::kBytes;

// The bits of the bytes from begin up to end.
std::uint8_t bits_between(std::uint64_t begin, std::uint64_t end) {
  return static_cast<std::uint8_t>((1U << end) - (1U << begin));
}

// The kernel looks at the set of signals before it finds that it does not know what to do with it.
bool is_readable(std::uint64_t cell) {
  constexpr long kUnknown = -1;
  return raw_syscall(SYS_rt_sigprocmask, kUnknown, static_cast<long>(cell), 0, kCell) != -EFAULT;
}

// Whether an event of that operation accesses the bytes of its object as plain accesses would.
bool accesses_memory(Operation operation) {
  switch (operation) {
    case Operation::load:
    case Operation::store:
    case Operation::read_modify_write:
    case Operation::compare_exchange:
    case Operation::racy_load:
    case Operation::racy_store: return true;
    default: return false;
  }
}

}  // namespace

RecordedValues::Known RecordedValues::known(std::uint64_t cell) const {
  const std::uint64_t bits = known_.get(cell);
  return {static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8),
          static_cast<std::uint8_t>(bits >> 16), static_cast<std::uint8_t>(bits >> 24)};
}

void RecordedValues::set(std::uint64_t cell, Known known) {
  const auto bits = [](std::uint8_t byte, unsigned at) { return std::uint64_t{byte} << at; };
  known_[cell] = bits(known.read, 0) | bits(known.written, 8) | bits(known.noted, 16) | bits(known.cuts, 24);
}

void RecordedValues::begin() {
  known_.clear();
  noted_.clear();
  careful_ = false;
}

void RecordedValues::begin_stretch(const Thread& me) {
  thread_ = me.id;
  in_section_ = me.atomic_depth != 0;
}

// Calls visit(cell, bytes) with each cell that is shared, if accesses are recorded at present.
template <typename Visit>
void RecordedValues::for_each_shared(const Thread& me, std::uint64_t address, std::uint64_t size,
                                     Visit visit) {
  if (size == 0 || is_null_page(address)) return;
  begin_stretch(me);
  const std::uint64_t end = address + size;
  for (std::uint64_t cell = address / kCell; cell * kCell < end; ++cell) {
    if (!cells_.touch(me.id, cell) || !world.recording) continue;
    const std::uint64_t from = std::max(address, cell * kCell) % kCell;
    const std::uint64_t to = std::min(end - cell * kCell, kCell);
    visit(cell, bits_between(from, to));
  }
}

// Records accesses of these bytes of the cell: one for each row of neighbours without a cut. values: of the
// whole cell; nullptr: there are none.
void RecordedValues::record(Operation operation, std::uint64_t cell, std::uint8_t bytes, const char* values,
                            std::uint8_t cuts, std::uint64_t code) const {
  Trace& trace = current_trace();
  while (bytes != 0) {
    const auto first = static_cast<unsigned>(std::countr_zero(bytes));
    unsigned size = 1;
    while ((bytes >> (first + size) & 1) != 0 && (cuts >> (first + size) & 1) == 0) ++size;
    bytes = static_cast<std::uint8_t>(bytes & ~bits_between(first, first + size));
    RecordedAccess& access = trace.accesses.emplace_back();
    access.event = static_cast<std::uint32_t>(trace.events.size());
    access.thread = thread_;
    access.operation = operation;
    access.writes = operation != Operation::plain_load;
    access.in_section = in_section_;
    access.size = size;
    access.object = cell * kCell + first;
    access.code = code;
    if (values != nullptr) std::memcpy(&access.value, values + first, size);
  }
}

void RecordedValues::read_at(const Thread& me, std::uint64_t address, std::uint64_t size,
                             std::uint64_t code) {
  for_each_shared(me, address, size, [&](std::uint64_t cell, std::uint8_t bytes) {
    Known now = known(cell);
    const auto fresh = static_cast<std::uint8_t>(bytes & ~now.read & ~now.written);
    if (fresh == 0) return;
    now.read |= fresh;
    set(cell, now);
    record(Operation::plain_load, cell, fresh, reinterpret_cast<const char*>(cell * kCell), 0, code);
  });
}

void RecordedValues::read(const Thread& me, std::uint64_t address, std::uint64_t size, std::uint64_t value) {
  const std::uint64_t of_value = std::min<std::uint64_t>(size, sizeof value);
  for_each_shared(me, address, of_value, [&](std::uint64_t cell, std::uint8_t bytes) {
    Known now = known(cell);
    const auto fresh = static_cast<std::uint8_t>(bytes & ~now.read & ~now.written);
    if (fresh == 0) return;
    now.read |= fresh;
    set(cell, now);
    char values[kCell] = {};
    for (std::uint64_t i = 0; i < of_value; ++i) {
      if ((address + i) / kCell == cell) values[(address + i) % kCell] = static_cast<char>(value >> 8 * i);
    }
    record(Operation::plain_load, cell, fresh, values, 0, me.code);
  });
  if (size > of_value) read(me, address + of_value, size - of_value);
}

void RecordedValues::write(const Thread& me, std::uint64_t address, std::uint64_t size) {
  for_each_shared(me, address, size, [&](std::uint64_t cell, std::uint8_t bytes) {
    Known now = known(cell);
    if (now.noted == 0) noted_.push_back(cell);
    now.written |= bytes;
    now.noted |= bytes;
    // Only at its ends: what it overwrites does not count any more.
    now.cuts =
        static_cast<std::uint8_t>((now.cuts & ~bytes) | (bytes & ~(bytes << 1)) | (~bytes & (bytes << 1)));
    set(cell, now);
  });
}

void RecordedValues::end_memory(const Thread& me, std::uint64_t address, std::uint64_t size) {
  if (size == 0) return;
  const std::uint64_t end = address + size;
  const std::uint64_t first = address / kCell;
  const std::uint64_t last = (end - 1) / kCell;
  cells_.touch_used(me.id, first, last);
  if (!world.recording) return;
  begin_stretch(me);
  cells_.for_each_shared(first, last, [&](std::uint64_t cell) {
    const std::uint8_t bytes =
        bits_between(std::max(address, cell * kCell) % kCell, std::min(end - cell * kCell, kCell));
    Known now = known(cell);
    now.written |= bytes;
    now.noted = static_cast<std::uint8_t>(now.noted & ~bytes);
    set(cell, now);
    record(Operation::deallocate, cell, bytes, nullptr);
  });
}

void RecordedValues::touch(const Thread& me, std::uint64_t address, std::uint64_t size) {
  for (std::uint64_t cell = address / kCell; cell * kCell < address + size; ++cell) cells_.touch(me.id, cell);
}

void RecordedValues::write_out() {
  for (const std::uint64_t cell : noted_) {
    Known now = known(cell);
    if (world.recording && (!careful_ || is_readable(cell * kCell)))
      record(Operation::plain_store, cell, now.noted, reinterpret_cast<const char*>(cell * kCell), now.cuts);
    now.noted = 0;
    set(cell, now);
  }
  noted_.clear();
}

void RecordedValues::end_stretch() {
  write_out();
  known_.clear();
}

void note_values_before_event(const Thread& thread) {
  constexpr std::uint64_t kPart = 4;  // the bytes that its operations count as accessing
  recorded_values().end_stretch();
  if (accesses_memory(thread.operation)) {
    recorded_values().touch(thread, thread.object, thread.size);
  } else if (uses_object(thread.operation)) {
    recorded_values().touch(thread, thread.object, kPart);
  }
}

void end_stretch_of_values() { recorded_values().end_stretch(); }
void write_values_out() { recorded_values().write_out(); }
void note_write_for_values(std::uint64_t object, std::uint64_t size) {
  recorded_values().write(running_thread(), object, size);
}
void note_fault_for_values() { recorded_values().note_fault(); }

bool note_values_in_section(const Thread& me, bool changes, std::uint64_t value) {
  if (!accesses_memory(me.operation)) return false;
  const bool stores = me.operation == Operation::store || me.operation == Operation::racy_store;
  if (!stores) recorded_values().read(me, me.object, me.size, value);
  if (changes) recorded_values().write(me, me.object, me.size);
  return true;
}

}  // namespace thrum
