// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "races/race_detector.hpp"

#include <algorithm>
#include <bit>

#include "support/check.hpp"

namespace thrum {

namespace {

bool acquires(MemoryOrder order) {
  return order == MemoryOrder::acquire || order == MemoryOrder::acquire_release;
}

bool releases(MemoryOrder order) {
  return order == MemoryOrder::release || order == MemoryOrder::acquire_release;
}

}  // namespace

void RaceDetector::begin_execution() {
  shadow_.begin_execution();
  threads_used_ = syncs_used_ = marks_used_ = 0;
  new_thread(0).now.advance(0);
}

template <typename Visit>
void RaceDetector::visit_clocks(const Mark& mark, Visit visit) {
  for (std::size_t i = 0; i < mark.threads; ++i) {
    visit(threads_[i].now);
    if (!mark.has_fences) continue;
    visit(threads_[i].fence_may_acquire);
    visit(threads_[i].fence_released);
  }
  for (std::size_t i = 0; i < mark.syncs; ++i) visit(syncs_[i].clock);
}

void RaceDetector::set_mark() {
  shadow_.set_mark();
  if (marks_used_ == marks_.size()) marks_.emplace_back();
  Mark& mark = marks_[marks_used_++];
  mark.threads = threads_used_;
  mark.syncs = syncs_used_;
  mark.has_fences = has_fences_;
  mark.clocks.clear();
  visit_clocks(mark, [&](const VectorClock& clock) { clock.save(mark.clocks); });
}

void RaceDetector::return_to(std::size_t number) {
  shadow_.return_to(number);
  marks_used_ = number + 1;
  const Mark& mark = marks_[number];
  threads_used_ = mark.threads;
  syncs_used_ = mark.syncs;
  const std::uint32_t* words = mark.clocks.data();
  visit_clocks(mark, [&](VectorClock& clock) { words = clock.load(words); });
  if (!has_fences_ || mark.has_fences) return;
  for (std::size_t i = 0; i < mark.threads; ++i) {
    threads_[i].fence_may_acquire.clear();
    threads_[i].fence_released.clear();
  }
}

RaceDetector::ThreadState& RaceDetector::new_thread(std::uint16_t thread) {
  if (thread >= threads_.size()) threads_.resize(thread + std::size_t{1});
  threads_used_ = std::max(threads_used_, thread + std::size_t{1});
  ThreadState& fresh = threads_[thread];
  fresh.now.clear();
  fresh.fence_may_acquire.clear();
  fresh.fence_released.clear();
  return fresh;
}

void RaceDetector::create(std::uint16_t parent, std::uint16_t child) {
  ThreadState& made = new_thread(child);
  ThreadState& maker = threads_[parent];
  made.now.assign(maker.now);
  made.now.advance(child);
  maker.now.advance(parent);
}

void RaceDetector::join(std::uint16_t thread, std::uint16_t other) {
  threads_[thread].now.join(threads_[other].now);
}

RaceDetector::Sync& RaceDetector::sync(std::uint64_t object) {
  Cell& cell = shadow_.cell(object);
  for (std::uint32_t at = cell.sync; at != 0; at = syncs_[at - 1].next) {
    if (syncs_[at - 1].object == object) return syncs_[at - 1];
  }
  return new_sync(cell, object);
}

[[gnu::noinline]] RaceDetector::Sync& RaceDetector::new_sync(Cell& cell, std::uint64_t object) {
  if (syncs_used_ == syncs_.size()) syncs_.emplace_back();
  Sync& made = syncs_[syncs_used_++];
  made.object = object;
  made.next = cell.sync;
  made.clock.clear();
  cell.sync = static_cast<std::uint32_t>(syncs_used_);
  return made;
}

// A plain write begins the life of a new object.
void RaceDetector::forget_syncs(const Cell& cell, std::uint64_t cell_begin, std::uint8_t bytes) {
  for (std::uint32_t at = cell.sync; at != 0; at = syncs_[at - 1].next) {
    if ((bytes >> (syncs_[at - 1].object - cell_begin) & 1) != 0) syncs_[at - 1].clock.clear();
  }
}

void RaceDetector::forget(std::uint64_t address, std::uint64_t size) {
  for (std::uint64_t end = address + size; address < end; address += kCellBytes) {
    Cell& cell = shadow_.cell(address);
    shadow_.shorten(cell, 0);
    cell.sync = 0;
  }
}

void RaceDetector::acquire(std::uint16_t thread, std::uint64_t object, std::uint64_t also) {
  for (std::uint32_t at = shadow_.cell(object).sync; at != 0; at = syncs_[at - 1].next) {
    const Sync& known = syncs_[at - 1];
    if (known.object == object || known.object == also) threads_[thread].now.join(known.clock);
  }
}

void RaceDetector::release(std::uint16_t thread, std::uint64_t object, bool keep) {
  ThreadState& me = threads_[thread];
  Sync& to = sync(object);
  if (keep) {
    to.clock.join(me.now);
  } else {
    to.clock.assign(me.now);
  }
  me.now.advance(thread);
}

void RaceDetector::read_from(ThreadState& me, const Sync& from, MemoryOrder order) {
  if (acquires(order)) {
    me.now.join(from.clock);
  } else if (!from.clock.empty()) {
    me.fence_may_acquire.join(from.clock);
    has_fences_ = true;
  }
}

void RaceDetector::write_to(std::uint16_t thread, Sync& to, MemoryOrder order, bool keep) {
  ThreadState& me = threads_[thread];
  const VectorClock& passed_on = releases(order) ? me.now : me.fence_released;
  if (keep) {
    to.clock.join(passed_on);
  } else {
    to.clock.assign(passed_on);
  }
  if (releases(order)) me.now.advance(thread);
}

bool RaceDetector::atomic_load(std::uint16_t thread, std::uint64_t address, std::uint64_t size,
                               MemoryOrder order, std::uint64_t code) {
  bool races = false;
  load_by(thread, address, order,
          [&] { races = access(thread, AccessKind::atomic_read, address, size, code); });
  return races;
}

bool RaceDetector::atomic_store(std::uint16_t thread, std::uint64_t address, std::uint64_t size,
                                MemoryOrder order, std::uint64_t code) {
  bool races = false;
  store_by(thread, address, order,
           [&] { races = access(thread, AccessKind::atomic_write, address, size, code); });
  return races;
}

bool RaceDetector::read_modify_write(std::uint16_t thread, std::uint64_t address, std::uint64_t size,
                                     MemoryOrder order, std::uint64_t code) {
  bool races = false;
  change_by(thread, address, order,
            [&] { races = access(thread, AccessKind::atomic_write, address, size, code); });
  return races;
}

bool RaceDetector::read_modify_nothing(std::uint16_t thread, std::uint64_t address, std::uint64_t size,
                                       MemoryOrder order, std::uint64_t code) {
  bool races = false;
  load_by(thread, address, order,
          [&] { races = access(thread, AccessKind::atomic_write, address, size, code); });
  return races;
}

void RaceDetector::fence(std::uint16_t thread, MemoryOrder order) {
  ThreadState& me = threads_[thread];
  if (acquires(order)) me.now.join(me.fence_may_acquire);
  if (!releases(order)) return;
  me.fence_released.assign(me.now);
  has_fences_ = true;
  me.now.advance(thread);
}

bool RaceDetector::used_atomically(std::uint64_t address) {
  Cell& cell = shadow_.cell(address);
  for (std::size_t i = 0; i < cell.count; ++i) {
    const Record& record = shadow_.record(cell, i);
    if (record.kind() == AccessKind::atomic_write && (record.bytes() & bits(address, 1)) != 0) return true;
  }
  return false;
}

[[gnu::noinline, gnu::cold]] void RaceDetector::note_race(const Record& old, const Record& fresh,
                                                          std::uint64_t cell_begin) {
  const unsigned shared = old.bytes() & fresh.bytes();
  races_.push_back({old.access(cell_begin), fresh.access(cell_begin),
                    cell_begin + static_cast<unsigned>(std::countr_zero(shared))});
}

// Covered records are removed; the others move up.
[[gnu::noinline]] void RaceDetector::access_cell(std::uint16_t thread, AccessKind kind,
                                                 std::uint64_t cell_begin, std::uint8_t bytes,
                                                 std::uint64_t code) {
  Cell& cell = shadow_.cell(cell_begin);
  if (kind == AccessKind::plain_write && cell.sync != 0) forget_syncs(cell, cell_begin, bytes);
  const VectorClock& now = threads_[thread].now;
  const Epoch present{now[thread], thread};
  const Record fresh{code, Record::stamp_of(present, bytes, kind)};
  const AccessKinds conflicting = kConflicting[static_cast<std::size_t>(kind)];
  const AccessKinds covered = kCovered[static_cast<std::size_t>(kind)];
  Record* const spill = shadow_.spill(cell);
  const auto record = [&](std::uint32_t i) -> Record& {
    return i < Cell::kInline ? cell.records[i] : spill[i - Cell::kInline];
  };
  bool is_known = false;
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0, count = cell.count; i < count; ++i) {
    Record& old = record(i);
    const auto shared = static_cast<std::uint8_t>(old.bytes() & bytes);
    if (shared != 0 && !is_known) {
      if (!now.knows(old.when())) {
        if (holds(conflicting, old.kind())) note_race(old, fresh, cell_begin);
      } else if (old.when() == present && covers(old.kind(), kind) && shared == bytes) {
        if (kept == i) return;
        is_known = true;  // the thread has done such an access, or a stronger one, in this stretch
      } else if (holds(covered, old.kind())) {
        old.leave_out(bytes);
        if (old.bytes() == 0) continue;
      }
    }
    if (kept != i) record(kept) = old;
    ++kept;
  }
  shadow_.shorten(cell, kept);
  if (!is_known) shadow_.add(cell) = fresh;
}

template <AccessKind kKind>
inline void RaceDetector::access_cells(std::uint16_t thread, std::uint64_t address, std::uint64_t size,
                                       std::uint64_t code) {
  for (std::uint64_t end = address + size; address < end;) {
    const std::uint64_t begin = address & ~(kCellBytes - 1);
    const std::uint64_t part = std::min(end, begin + kCellBytes) - address;
    shadow_.cell(begin);  // from here on cell_at_hand() finds it
    if (!access_plainly<kKind>(thread, address, part, code))
      access_cell(thread, kKind, begin, bits(address, part), code);
    address += part;
  }
}

bool RaceDetector::access(std::uint16_t thread, AccessKind kind, std::uint64_t address, std::uint64_t size,
                          std::uint64_t code) {
  races_.clear();
  switch (kind) {
    case AccessKind::plain_read: access_cells<AccessKind::plain_read>(thread, address, size, code); break;
    case AccessKind::plain_write: access_cells<AccessKind::plain_write>(thread, address, size, code); break;
    case AccessKind::atomic_read: access_cells<AccessKind::atomic_read>(thread, address, size, code); break;
    case AccessKind::atomic_write: access_cells<AccessKind::atomic_write>(thread, address, size, code); break;
    case AccessKind::free: access_cells<AccessKind::free>(thread, address, size, code); break;
    case AccessKind::thread_end: THRUM_CHECK(false);  // end of a stack: not an access to bytes
  }
  return !races_.empty();
}

}  // namespace thrum
