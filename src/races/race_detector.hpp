// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the data races of one execution, exactly: two accesses to the same byte, one of which writes and one
// of which is plain, that C++'s happens-before does not order (C++20 [intro.races]).
//
// The idea. Each thread has a vector clock: how much of each thread's past belongs to its own past. An
// acquire makes known what the releasing thread had done before the release. An access races with an earlier
// one if its thread does not know of the earlier one. Only those earlier accesses are kept with which a later
// access could race without racing with another kept one: a plain write that knows of all others makes them
// superfluous, and so on (covers() in access.hpp). Most cells keep one or two, which is what FastTrack's
// epochs do (Flanagan and Freund, PLDI 2009).
//
// Example: x = 1; ready.store(1, release)  against  while (!ready.load(acquire)); read x. The load learns
// what the storing thread knew at its store, including the write of x. With relaxed it learns nothing, and
// the read of x races.
//
// The orders are those that the program asks for, although executions are sequentially consistent. Release
// sequences: the clock of an atomic object is that of the release at the head of the sequence;
// read-modify-writes only add to it ([atomics.order]), where they change the value. Fences: a relaxed load
// remembers what a later acquire fence would learn; a relaxed store passes on what the last release fence
// before it knew ([atomics.fences]).
//
// Differences from FastTrack: bytes are judged one by one, atomic accesses are kept beside plain ones, and no
// access is dropped that could still race. So it finds any race, not only the first of each location.
//
// Threads are numbered as in vector_clock.hpp. Thread safety: none.
// Tested by tests/oracle/race_test.cpp, against the definition and a detector that keeps everything.
#pragma once

#include <cstdint>
#include <vector>

#include "races/shadow.hpp"

namespace thrum {

enum class MemoryOrder : std::uint8_t { relaxed, acquire, release, acquire_release };

class RaceDetector {
 public:
  explicit constexpr RaceDetector(Shadow::Map map) : shadow_(map) {}

  // Thread 0 runs, nothing has happened. Forgets all marks.
  void begin_execution();

  // Marks: moments of an execution from which others begin; see Shadow.
  void set_mark();
  void return_to(std::size_t mark);
  bool can_return() const { return shadow_.can_return(); }
  void keep_cells(std::size_t cells) { shadow_.keep_cells(cells); }

  // parent creates child, which is a new thread.
  void create(std::uint16_t parent, std::uint16_t child);
  // thread learns all that `other`, which has ended, has done.
  void join(std::uint16_t thread, std::uint16_t other);

  // Synchronization objects, by address. release: what the thread has done so far becomes known to all
  // threads that acquire the object later; with keep, in addition to earlier releases. also: a second object
  // in the same cell.
  void acquire(std::uint16_t thread, std::uint64_t object) { acquire(thread, object, object); }
  void acquire(std::uint16_t thread, std::uint64_t object, std::uint64_t also);
  void release(std::uint16_t thread, std::uint64_t object, bool keep);

  // Accesses to memory. Each returns whether it races with earlier accesses; races() then holds the races,
  // and the access is recorded in any case. code: the address behind the call; it appears in races().
  bool access(std::uint16_t thread, AccessKind kind, std::uint64_t address, std::uint64_t size,
              std::uint64_t code);
  bool atomic_load(std::uint16_t thread, std::uint64_t address, std::uint64_t size, MemoryOrder order,
                   std::uint64_t code);
  bool atomic_store(std::uint16_t thread, std::uint64_t address, std::uint64_t size, MemoryOrder order,
                    std::uint64_t code);
  bool read_modify_write(std::uint16_t thread, std::uint64_t address, std::uint64_t size, MemoryOrder order,
                         std::uint64_t code);
  // A read-modify-write that leaves the value as it was. It writes, but passes nothing on: whoever reads the
  // value behind it might have read the same value before it.
  bool read_modify_nothing(std::uint16_t thread, std::uint64_t address, std::uint64_t size, MemoryOrder order,
                           std::uint64_t code);
  // The order that these operations make; the caller does the access itself by access(), at its place.
  template <typename Access>
  void load_by(std::uint16_t thread, std::uint64_t address, MemoryOrder order, Access access);
  template <typename Access>
  void store_by(std::uint16_t thread, std::uint64_t address, MemoryOrder order, Access access);
  template <typename Access>
  void change_by(std::uint16_t thread, std::uint64_t address, MemoryOrder order, Access access);
  const std::vector<Race>& races() const { return races_; }
  const Race& race() const { return races_.front(); }

  // The access in the common case: it is recorded and does not race. False, without effect, if access() has
  // to decide.
  template <AccessKind kKind>
  bool access_plainly(std::uint16_t thread, std::uint64_t address, std::uint64_t size, std::uint64_t code);
  // Whether the thread has just done such an access there, so that access() would have no effect. False after
  // a free.
  template <AccessKind kKind>
  bool repeats(std::uint16_t thread, std::uint64_t address, std::uint64_t size);

  // The bytes are new memory: earlier accesses do not matter. address, size: multiples of kCellBytes.
  void forget(std::uint64_t address, std::uint64_t size);

  void fence(std::uint16_t thread, MemoryOrder order);

  // Whether the byte was changed atomically, with no later plain write or free that knows of that change. A
  // change may be missed if its thread had written the byte plainly in the same stretch.
  bool used_atomically(std::uint64_t address);

  const VectorClock& clock(std::uint16_t thread) const { return threads_[thread].now; }

 private:
  struct ThreadState {
    VectorClock now;
    VectorClock fence_may_acquire;  // read by relaxed loads
    VectorClock fence_released;     // known at the last release fence
  };
  struct Mark {
    std::size_t threads;
    std::size_t syncs;
    std::vector<std::uint32_t> clocks;  // of threads and synchronization objects; and fences, if any
    bool has_fences;
  };
  struct Sync {
    std::uint64_t object;
    std::uint32_t next;  // of the same cell; 0: none
    VectorClock clock;
  };

  template <typename Visit>
  void visit_clocks(const Mark& mark, Visit visit);
  ThreadState& new_thread(std::uint16_t thread);
  Sync& sync(std::uint64_t object);
  Sync& new_sync(Cell& cell, std::uint64_t object);
  // The bits of a range of bytes in one cell.
  static std::uint8_t bits(std::uint64_t address, std::uint64_t size) {
    return static_cast<std::uint8_t>(((1U << size) - 1) << address % kCellBytes);
  }
  static bool is_in_cell(std::uint64_t address, std::uint64_t size) {
    return size - 1 < kCellBytes - address % kCellBytes;
  }
  void forget_syncs(const Cell& cell, std::uint64_t cell_begin, std::uint8_t bytes);
  template <AccessKind kKind>
  void access_cells(std::uint16_t thread, std::uint64_t address, std::uint64_t size, std::uint64_t code);
  void access_cell(std::uint16_t thread, AccessKind kind, std::uint64_t cell_begin, std::uint8_t bytes,
                   std::uint64_t code);
  void note_race(const Record& old, const Record& fresh, std::uint64_t cell_begin);
  void read_from(ThreadState& me, const Sync& from, MemoryOrder order);
  void write_to(std::uint16_t thread, Sync& to, MemoryOrder order, bool keep);

  Shadow shadow_;
  std::vector<Race> races_;
  std::vector<ThreadState> threads_;  // the first threads_used_ count
  std::size_t threads_used_ = 0;
  std::vector<Sync> syncs_;
  std::size_t syncs_used_ = 0;
  bool has_fences_ =
      false;  // in this execution or an earlier one: clocks that matter to them may say something
  std::vector<Mark> marks_;  // the first marks_used_ count
  std::size_t marks_used_ = 0;
};

// One short pass over the records, of which none, one or all are covered.
template <AccessKind kKind>
[[gnu::always_inline]] inline bool RaceDetector::access_plainly(std::uint16_t thread, std::uint64_t address,
                                                                std::uint64_t size, std::uint64_t code) {
  if (!is_in_cell(address, size)) return false;
  Cell* const cell = shadow_.cell_at_hand(address);
  if (cell == nullptr) return false;
  const std::uint32_t count = cell->count;
  if (count > Cell::kInline || (kKind == AccessKind::plain_write && cell->sync != 0)) return false;
  const VectorClock& now = threads_[thread].now;
  const std::uint64_t stamp = Record::stamp_of({now[thread], thread}, bits(address, size), kKind);
  const std::uint64_t bytes = stamp & std::uint64_t{0xff} << Record::kBytes;
  Record* const end = cell->records + count;
  Record* place = end;
  std::uint32_t left = count;
  for (Record* old = cell->records; old != end; ++old) {
    const std::uint64_t shared = old->stamp & bytes;
    if (shared == 0) continue;
    const AccessKind kind = old->kind();
    if (!now.knows(old->when())) {
      if (holds(kinds_in_conflict_with(kKind), kind)) return false;
      continue;
    }
    // The thread has done such an access, or a stronger one, in this stretch.
    if ((old->stamp ^ stamp) << (64 - Record::kBytes) == 0 && shared == bytes &&
        holds(kinds_that_cover(kKind), kind))
      return true;
    if (!holds(kinds_covered_by(kKind), kind)) continue;
    if ((old->stamp & std::uint64_t{0xff} << Record::kBytes) != shared) return false;
    if (place == end) place = old;
    --left;
  }
  const std::uint32_t gone = count - left;
  if ((gone == 0 && count == Cell::kInline) || (gone > 1 && left != 0)) return false;
  cell->count = left + 1;
  place->code = code;
  place->stamp = stamp;
  return true;
}

template <AccessKind kKind>
inline bool RaceDetector::repeats(std::uint16_t thread, std::uint64_t address, std::uint64_t size) {
  if (!is_in_cell(address, size)) return false;
  const Cell& cell = shadow_.cell(address);
  if (cell.count > Cell::kInline) return false;
  const Epoch present{threads_[thread].now[thread], thread};
  const std::uint8_t bytes = bits(address, size);
  bool covered = false;
  for (const Record* record = cell.records; record != cell.records + cell.count; ++record) {
    if (record->when() != present || record->kind() == AccessKind::free) return false;
    covered = covered || ((bytes & ~record->bytes()) == 0 && holds(kinds_that_cover(kKind), record->kind()));
  }
  return covered;
}

template <typename Access>
inline void RaceDetector::load_by(std::uint16_t thread, std::uint64_t address, MemoryOrder order,
                                  Access access) {
  read_from(threads_[thread], sync(address), order);
  access();
}

template <typename Access>
inline void RaceDetector::store_by(std::uint16_t thread, std::uint64_t address, MemoryOrder order,
                                   Access access) {
  access();
  write_to(thread, sync(address), order, false);
}

template <typename Access>
inline void RaceDetector::change_by(std::uint16_t thread, std::uint64_t address, MemoryOrder order,
                                    Access access) {
  Sync& at = sync(address);
  read_from(threads_[thread], at, order);
  access();
  write_to(thread, at, order, true);
}

}  // namespace thrum
