// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the data races of one execution, exactly: two accesses to the same byte, one of which writes and one
// of which is plain, that C++'s happens-before leaves unordered (C++20 [intro.races]).
//
// The idea. Each thread has a vector clock: how much of every thread's past is its own past. What a thread
// has done before a release is known to who acquires it. An access races with an earlier one if its thread
// does not know of that one. Of the earlier ones only those are kept that a later access could race with
// alone: a plain write that knows of them makes all others superfluous, and so on (covers() in access.hpp).
// In most cells one or two remain, which is what FastTrack's epochs are (Flanagan and Freund, PLDI 2009).
//
// Example: x = 1; ready.store(1, release)  against  while (!ready.load(acquire)); read x. The load learns
// what the storing thread knew at its store, the write of x among it. With relaxed it learns nothing, and the
// read of x races.
//
// Orders are those the program asks for, though executions are sequentially consistent. Release sequences:
// the clock of an atomic object is that of the release at the head of the sequence, and read-modify-writes
// only add to it ([atomics.order]). Fences: a relaxed load remembers what an acquire fence behind it would
// learn; a relaxed store passes on what the last release fence before it knew ([atomics.fences]).
//
// Differs from FastTrack: bytes are judged one by one, atomics are kept beside plain accesses, and nothing is
// forgotten: it may find any race, not only the first of each location.
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

  // Marks: moments of an execution that others begin with, as in Shadow.
  void set_mark();
  void return_to(std::size_t mark);
  bool can_return() const { return shadow_.can_return(); }

  // parent makes child, which is new.
  void create(std::uint16_t parent, std::uint16_t child);
  // thread learns all that other, which has ended, has done.
  void join(std::uint16_t thread, std::uint16_t other);

  // Synchronization objects, by address. release: what the thread has done so far is passed on to all who
  // acquire the object from now on; with keep, beside what was passed on before.
  void acquire(std::uint16_t thread, std::uint64_t object);
  void release(std::uint16_t thread, std::uint64_t object, bool keep);

  // What touches memory says whether it races with earlier accesses; then races() tells of those, and it
  // counts as done all the same. code: the code address behind the call, to be found in races().
  bool access(std::uint16_t thread, AccessKind kind, std::uint64_t address, std::uint64_t size,
              std::uint64_t code);
  bool atomic_load(std::uint16_t thread, std::uint64_t address, std::uint64_t size, MemoryOrder order,
                   std::uint64_t code);
  bool atomic_store(std::uint16_t thread, std::uint64_t address, std::uint64_t size, MemoryOrder order,
                    std::uint64_t code);
  bool read_modify_write(std::uint16_t thread, std::uint64_t address, std::uint64_t size, MemoryOrder order,
                         std::uint64_t code);
  const std::vector<Race>& races() const { return races_; }
  const Race& race() const { return races_.front(); }

  // Bytes of one cell. It is good until the next run begins.
  struct Spot {
    Cell& cell;
    std::uint64_t begin;  // of the cell
    std::uint8_t bytes;   // a bit each
  };
  static bool is_spot(std::uint64_t address, std::uint64_t size) {
    return size <= kCellBytes - address % kCellBytes;
  }
  // REQUIRES: is_spot(address, size).
  Spot spot(std::uint64_t address, std::uint64_t size) {
    const std::uint64_t offset = address % kCellBytes;
    return {shadow_.cell(address), address - offset, static_cast<std::uint8_t>(((1U << size) - 1) << offset)};
  }
  // Whether the thread has just done such an access there, so that access() would do nothing. What comes
  // behind a free is always looked at.
  bool repeats(const Spot& spot, std::uint16_t thread, AccessKind kind) const;
  bool access(const Spot& spot, std::uint16_t thread, AccessKind kind, std::uint64_t code);

  // The bytes are new: nothing that was done to what was there before matters. address, size: multiples of
  // kCellBytes.
  void forget(std::uint64_t address, std::uint64_t size);

  void fence(std::uint16_t thread, MemoryOrder order);

  // Whether the byte has been changed atomically, and no plain write or free that knows of that came after
  // it. Not told of a change in whose stretch the thread had written the byte plainly before.
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
    std::vector<std::uint32_t> clocks;  // three of each thread, one of each synchronization object
  };
  struct Sync {
    std::uint64_t object;
    std::uint32_t next;  // of the same cell; 0: none
    VectorClock clock;
  };

  template <typename Visit>
  void visit_clocks(const Mark& mark, Visit visit);
  ThreadState& new_thread(std::uint16_t thread);
  Sync* find_sync(const Cell& cell, std::uint64_t object);
  Sync& sync(std::uint64_t object);
  void forget_syncs(const Spot& spot);
  // Likewise where the thread has used two parts of the cell, as where it sweeps over an array.
  bool repeats_beside(const Spot& spot, std::uint16_t thread, AccessKind kind) const;
  // kSpilled: the cell may have more records than it has room for.
  template <bool kSpilled>
  void access_part(const Spot& spot, std::uint16_t thread, AccessKind kind, std::uint64_t code);
  void access_spilled(const Spot& spot, std::uint16_t thread, AccessKind kind, std::uint64_t code);
  bool access_several(std::uint16_t thread, AccessKind kind, std::uint64_t address, std::uint64_t size,
                      std::uint64_t code);
  void note_race(const Record& old, const Record& fresh, std::uint64_t cell_begin, std::uint8_t shared);
  void read_from(ThreadState& me, const Sync& from, MemoryOrder order);
  void write_to(std::uint16_t thread, Sync& to, MemoryOrder order, bool keep);

  Shadow shadow_;
  std::vector<Race> races_;
  std::vector<ThreadState> threads_;  // the first threads_used_ count
  std::size_t threads_used_ = 0;
  std::vector<Sync> syncs_;
  std::size_t syncs_used_ = 0;
  std::vector<Mark> marks_;  // the first marks_used_ count
  std::size_t marks_used_ = 0;
};

// Records that give way are taken out, the others move up.
template <bool kSpilled>
[[gnu::always_inline]] inline void RaceDetector::access_part(const Spot& spot, std::uint16_t thread,
                                                             AccessKind kind, std::uint64_t code) {
  Cell& cell = spot.cell;
  if (kind == AccessKind::plain_write && cell.sync != 0) forget_syncs(spot);
  const VectorClock& now = threads_[thread].now;
  const Epoch present{now[thread], thread};
  const auto record = [&](std::uint32_t i) -> Record& {
    return kSpilled ? shadow_.record(cell, i) : cell.records[i];
  };
  const std::uint32_t count = cell.count;
  bool is_known = false;
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    Record& old = record(i);
    const auto shared = static_cast<std::uint8_t>(old.bytes & spot.bytes);
    if (shared != 0 && !is_known) {
      if (old.when() == present && covers(old.kind, kind) && shared == spot.bytes) {
        is_known = true;  // the thread has done as much, or more, in this stretch
      } else if (__builtin_expect(!now.knows(old.when()), 0)) {
        if (conflict(old.kind, kind))
          note_race(old, {code, present.clock, thread, spot.bytes, kind}, spot.begin, shared);
      } else if (covers(kind, old.kind)) {
        old.bytes = static_cast<std::uint8_t>(old.bytes & ~spot.bytes);
        if (old.bytes == 0) continue;
      }
    }
    if (kept != i) record(kept) = old;
    ++kept;
  }
  if (kSpilled) {
    shadow_.shorten(cell, kept);
  } else {
    cell.count = kept;
  }
  if (is_known) return;
  Record& added = shadow_.add(cell);  // its parts one by one: a copy of the whole would wait for them
  added.code = code;
  added.clock = present.clock;
  added.thread = thread;
  added.bytes = spot.bytes;
  added.kind = kind;
}

[[gnu::always_inline]] inline bool RaceDetector::access(const Spot& spot, std::uint16_t thread,
                                                        AccessKind kind, std::uint64_t code) {
  races_.clear();
  if (__builtin_expect(spot.cell.count > Cell::kInline, 0)) {
    access_spilled(spot, thread, kind, code);
  } else {
    access_part<false>(spot, thread, kind, code);
  }
  return !races_.empty();
}

inline bool RaceDetector::access(std::uint16_t thread, AccessKind kind, std::uint64_t address,
                                 std::uint64_t size, std::uint64_t code) {
  if (__builtin_expect(!is_spot(address, size), 0)) return access_several(thread, kind, address, size, code);
  return access(spot(address, size), thread, kind, code);
}

[[gnu::always_inline]] inline bool RaceDetector::repeats(const Spot& spot, std::uint16_t thread,
                                                         AccessKind kind) const {
  const Cell& cell = spot.cell;
  const Record& last = cell.records[0];
  if (__builtin_expect(cell.count == 2 && last.thread == thread && cell.records[1].thread == thread, 0))
    return repeats_beside(spot, thread, kind);
  return cell.count == 1 && last.thread == thread && last.clock == threads_[thread].now[thread] &&
         (spot.bytes & ~last.bytes) == 0 && last.kind != AccessKind::free && covers(last.kind, kind);
}

}  // namespace thrum
