// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "races/race_detector.hpp"

#include <algorithm>
#include <bit>

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

RaceDetector::Sync* RaceDetector::find_sync(const Cell& cell, std::uint64_t object) {
  for (std::uint32_t at = cell.sync; at != 0; at = syncs_[at - 1].next) {
    if (syncs_[at - 1].object == object) return &syncs_[at - 1];
  }
  return nullptr;
}

RaceDetector::Sync& RaceDetector::sync(std::uint64_t object) {
  Cell& cell = shadow_.cell(object);
  if (Sync* known = find_sync(cell, object)) return *known;
  if (syncs_used_ == syncs_.size()) syncs_.emplace_back();
  Sync& made = syncs_[syncs_used_++];
  made.object = object;
  made.next = cell.sync;
  made.clock.clear();
  cell.sync = static_cast<std::uint32_t>(syncs_used_);
  return made;
}

// A plain write begins the life of a new object.
void RaceDetector::forget_syncs(const Spot& spot) {
  for (std::uint32_t at = spot.cell.sync; at != 0; at = syncs_[at - 1].next) {
    if ((spot.bytes >> (syncs_[at - 1].object - spot.begin) & 1) != 0) syncs_[at - 1].clock.clear();
  }
}

void RaceDetector::forget(std::uint64_t address, std::uint64_t size) {
  for (std::uint64_t end = address + size; address < end; address += kCellBytes) {
    Cell& cell = shadow_.cell(address);
    shadow_.shorten(cell, 0);
    cell.sync = 0;
  }
}

void RaceDetector::acquire(std::uint16_t thread, std::uint64_t object) {
  if (const Sync* known = find_sync(shadow_.cell(object), object)) threads_[thread].now.join(known->clock);
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
  } else {
    me.fence_may_acquire.join(from.clock);
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
  read_from(threads_[thread], sync(address), order);
  return access(thread, AccessKind::atomic_read, address, size, code);
}

bool RaceDetector::atomic_store(std::uint16_t thread, std::uint64_t address, std::uint64_t size,
                                MemoryOrder order, std::uint64_t code) {
  bool races = access(thread, AccessKind::atomic_write, address, size, code);
  write_to(thread, sync(address), order, false);
  return races;
}

bool RaceDetector::read_modify_write(std::uint16_t thread, std::uint64_t address, std::uint64_t size,
                                     MemoryOrder order, std::uint64_t code) {
  Sync& at = sync(address);
  read_from(threads_[thread], at, order);
  bool races = access(thread, AccessKind::atomic_write, address, size, code);
  write_to(thread, at, order, true);
  return races;
}

void RaceDetector::fence(std::uint16_t thread, MemoryOrder order) {
  ThreadState& me = threads_[thread];
  if (acquires(order)) me.now.join(me.fence_may_acquire);
  if (!releases(order)) return;
  me.fence_released.assign(me.now);
  me.now.advance(thread);
}

[[gnu::noinline]] bool RaceDetector::repeats_beside(const Spot& spot, std::uint16_t thread,
                                                    AccessKind kind) const {
  bool covered = false;
  for (std::size_t i = 0; i < 2; ++i) {
    const Record& record = spot.cell.records[i];
    if (record.clock != threads_[thread].now[thread] || record.kind == AccessKind::free) return false;
    covered = covered || ((spot.bytes & ~record.bytes) == 0 && covers(record.kind, kind));
  }
  return covered;
}

bool RaceDetector::used_atomically(std::uint64_t address) {
  const Spot byte = spot(address, 1);
  for (std::size_t i = 0; i < byte.cell.count; ++i) {
    const Record& record = shadow_.record(byte.cell, i);
    if (record.kind == AccessKind::atomic_write && (record.bytes & byte.bytes) != 0) return true;
  }
  return false;
}

[[gnu::noinline, gnu::cold]] void RaceDetector::note_race(const Record& old, const Record& fresh,
                                                          std::uint64_t cell_begin, std::uint8_t shared) {
  races_.push_back({old.access(cell_begin), fresh.access(cell_begin),
                    cell_begin + static_cast<unsigned>(std::countr_zero(shared))});
}

[[gnu::noinline]] void RaceDetector::access_spilled(const Spot& spot, std::uint16_t thread, AccessKind kind,
                                                    std::uint64_t code) {
  access_part<true>(spot, thread, kind, code);
}

[[gnu::noinline]] bool RaceDetector::access_several(std::uint16_t thread, AccessKind kind,
                                                    std::uint64_t address, std::uint64_t size,
                                                    std::uint64_t code) {
  races_.clear();
  for (std::uint64_t end = address + size; address < end;) {
    const std::uint64_t part = std::min(end - address, kCellBytes - address % kCellBytes);
    const Spot here = spot(address, part);
    if (!repeats(here, thread, kind)) access_spilled(here, thread, kind, code);
    address += part;
  }
  return !races_.empty();
}

}  // namespace thrum
