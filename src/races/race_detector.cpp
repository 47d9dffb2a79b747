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

// A bit for each byte of [begin, end), which lie in one cell.
std::uint8_t bytes_of(std::uint64_t begin, std::uint64_t end) {
  unsigned ones = (1U << (end - begin)) - 1;
  return static_cast<std::uint8_t>(ones << (begin % kCellBytes));
}

}  // namespace

void RaceDetector::begin_execution() {
  shadow_.begin_execution();
  threads_used_ = 0;
  syncs_used_ = 0;
  state(0).now.advance(0);
}

RaceDetector::ThreadState& RaceDetector::state(std::uint16_t thread) {
  if (thread >= threads_.size()) threads_.resize(thread + std::size_t{1});
  for (; threads_used_ <= thread; ++threads_used_) {
    ThreadState& fresh = threads_[threads_used_];
    fresh.now.clear();
    fresh.fence_may_acquire.clear();
    fresh.fence_released.clear();
  }
  return threads_[thread];
}

void RaceDetector::create(std::uint16_t parent, std::uint16_t child) {
  ThreadState& made = state(child);
  ThreadState& maker = state(parent);
  made.now.assign(maker.now);
  made.now.advance(child);
  maker.now.advance(parent);
}

void RaceDetector::join(std::uint16_t thread, std::uint16_t other) {
  state(thread).now.join(state(other).now);
}

RaceDetector::Sync& RaceDetector::sync(std::uint64_t object) {
  Cell& cell = shadow_.cell(object);
  for (std::uint32_t at = cell.sync; at != 0; at = syncs_[at - 1].next) {
    if (syncs_[at - 1].object == object) return syncs_[at - 1];
  }
  if (syncs_used_ == syncs_.size()) syncs_.emplace_back();
  Sync& made = syncs_[syncs_used_++];
  made.object = object;
  made.next = cell.sync;
  made.clock.clear();
  cell.sync = static_cast<std::uint32_t>(syncs_used_);
  return made;
}

void RaceDetector::acquire(std::uint16_t thread, std::uint64_t object) {
  state(thread).now.join(sync(object).clock);
}

void RaceDetector::release(std::uint16_t thread, std::uint64_t object, bool keep) {
  ThreadState& me = state(thread);
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
  ThreadState& me = state(thread);
  const VectorClock& passed_on = releases(order) ? me.now : me.fence_released;
  if (keep) {
    to.clock.join(passed_on);
  } else {
    to.clock.assign(passed_on);
  }
  if (releases(order)) me.now.advance(thread);
}

bool RaceDetector::atomic_load(std::uint16_t thread, const Access& load, MemoryOrder order) {
  read_from(state(thread), sync(load.address), order);
  return access(thread, load);
}

bool RaceDetector::atomic_store(std::uint16_t thread, const Access& store, MemoryOrder order) {
  bool race = access(thread, store);
  write_to(thread, sync(store.address), order, false);
  return race;
}

bool RaceDetector::read_modify_write(std::uint16_t thread, const Access& change, MemoryOrder order) {
  Sync& at = sync(change.address);
  read_from(state(thread), at, order);
  bool race = access(thread, change);
  write_to(thread, at, order, true);
  return race;
}

void RaceDetector::fence(std::uint16_t thread, MemoryOrder order) {
  ThreadState& me = state(thread);
  if (acquires(order)) me.now.join(me.fence_may_acquire);
  if (!releases(order)) return;
  me.fence_released.assign(me.now);
  me.now.advance(thread);
}

bool RaceDetector::access(std::uint16_t thread, Access access) {
  const VectorClock& now = threads_[thread].now;
  access.when = {now[thread], thread};
  std::uint64_t end = access.address + access.size;
  if (access.address % kCellBytes + access.size <= kCellBytes)
    return access_cell(access, access.address, end, now);
  for (std::uint64_t begin = access.address; begin < end;) {
    std::uint64_t cell_end = std::min(end, (begin / kCellBytes + 1) * kCellBytes);
    if (bool race = access_cell(access, begin, cell_end, now)) return race;
    begin = cell_end;
  }
  return false;
}

bool RaceDetector::access_cell(const Access& access, std::uint64_t begin, std::uint64_t end,
                               const VectorClock& now) {
  Cell& cell = shadow_.cell(begin);
  std::uint8_t bytes = bytes_of(begin, end);
  // Mostly the thread has just been here.
  if (cell.count == 1) {
    const Record& last = cell.records[0];
    if (last.when() == access.when && covers(last.kind, access.kind) && (last.bytes & bytes) == bytes)
      return false;
  }
  for (std::size_t i = 0; i < cell.count;) {
    Record& old = shadow_.record(cell, i);
    auto shared = static_cast<std::uint8_t>(old.bytes & bytes);
    if (shared == 0) {
      ++i;
      continue;
    }
    // The thread has done it all before in this stretch, or more.
    if (old.when() == access.when && covers(old.kind, access.kind) && shared == bytes) return false;
    if (!now.knows(old.when())) {
      if (conflict(old.kind, access.kind)) {
        std::uint64_t cell_begin = begin / kCellBytes * kCellBytes;
        auto size = static_cast<std::uint32_t>(std::bit_width(old.bytes)) -
                    static_cast<std::uint32_t>(std::countr_zero(old.bytes));
        Access earlier{cell_begin + static_cast<unsigned>(std::countr_zero(old.bytes)), size, old.kind,
                       old.code, old.when()};
        race_ = {earlier, access, cell_begin + static_cast<unsigned>(std::countr_zero(shared))};
        return true;
      }
      ++i;
      continue;
    }
    if (covers(access.kind, old.kind)) {
      old.bytes = static_cast<std::uint8_t>(old.bytes & ~bytes);
      if (old.bytes == 0) {
        shadow_.remove(cell, i);
        continue;
      }
    }
    ++i;
  }
  shadow_.add(cell) = {access.code, access.when.clock, access.when.thread, bytes, access.kind};
  return false;
}

}  // namespace thrum
