// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shadow memory: for each eight bytes of the program's memory that were accessed, the accesses with which a
// later one may race, and the synchronization objects that lie there.
//
// Each cell holds the run in which it was last used, so that nothing is cleared between executions. A run is
// an execution, or its part after a mark: a moment of an execution from which others begin. Returning to a
// mark begins a new run. A cell that was last used before the mark is saved at its first use after it. If the
// search returns to the same mark again and again, a few cells stay saved.
//
// Thread safety: none.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "races/access.hpp"

namespace thrum {

// An access to some bytes of one cell.
struct Record {
  std::uint64_t code = 0;
  // When, which bytes (a bit each), and how, in one word. From the lowest bit on: clock, thread, bytes, kind.
  std::uint64_t stamp = 0;

  static constexpr unsigned kBytes = 48;  // the first bit of the bytes
  static constexpr unsigned kKind = 56;

  static std::uint64_t stamp_of(Epoch when, std::uint8_t bytes, AccessKind kind) {
    return std::uint64_t{static_cast<std::uint8_t>(kind)} << kKind | std::uint64_t{bytes} << kBytes |
           std::uint64_t{when.thread} << 32 | when.clock;
  }
  Epoch when() const { return {static_cast<std::uint32_t>(stamp), static_cast<std::uint16_t>(stamp >> 32)}; }
  std::uint8_t bytes() const { return static_cast<std::uint8_t>(stamp >> kBytes); }
  AccessKind kind() const { return static_cast<AccessKind>(stamp >> kKind); }
  void leave_out(std::uint8_t bytes) { stamp &= ~(std::uint64_t{bytes} << kBytes); }

  // cell_begin: the address of the cell's first byte.
  Access access(std::uint64_t cell_begin) const {
    auto first = static_cast<unsigned>(std::countr_zero(bytes()));
    return {cell_begin + first, static_cast<std::uint32_t>(std::bit_width(bytes())) - first, kind(), code,
            when()};
  }
};
static_assert(sizeof(Record) == 16);

inline constexpr std::uint64_t kCellBytes = 8;

struct Cell {
  static constexpr std::size_t kInline = 3;
  std::uint32_t run;        // all fields below are of this run
  std::uint32_t count;      // of records
  std::uint32_t spill;      // 0: none; else its index in Shadow's list plus one
  std::uint32_t sync;       // 0: none; else the begin of a list in the detector
  Record records[kInline];  // the first ones; the spill holds the others
};
static_assert(sizeof(Cell) == 64);

class Shadow {
 public:
  // Returns zeroed memory that is never released; nullptr if there is none.
  using Map = void* (*)(std::size_t bytes);

  explicit constexpr Shadow(Map map) : map_(map) {}

  // Forgets all records, and all marks.
  void begin_execution();

  // Sets a mark: the present run ends here, and later runs can begin here.
  void set_mark();
  // Returns to the mark with that number and forgets the marks after it. Marks are numbered from 0 in order
  // of creation. REQUIRES: can_return().
  void return_to(std::size_t mark);
  // False if there is no mark, or if too much has happened since.
  bool can_return() const { return !marks_.empty() && saved_.size() < saved_max_; }
  // How many cells are saved at most, of all marks.
  void keep_cells(std::size_t cells) { saved_max_ = cells; }

  // Beyond kAddressEnd a program has no memory, and the access itself faults. All such addresses share one
  // cell, which is empty each time.
  Cell& cell(std::uint64_t address);
  // The same; nullptr if this takes more than a few instructions, and beyond kAddressEnd.
  Cell* cell_at_hand(std::uint64_t address);

  Record& record(Cell& cell, std::size_t index) {
    return index < Cell::kInline ? cell.records[index] : spill(cell)[index - Cell::kInline];
  }
  // The records after the first ones; nullptr if there are none. Valid until a record is added.
  Record* spill(const Cell& cell) {
    return cell.count > Cell::kInline ? spills_[cell.spill - 1U]->data() : nullptr;
  }
  Record& add(Cell& cell) {
    if (cell.count < Cell::kInline) return cell.records[cell.count++];
    return add_spilled(cell);
  }
  // Removes all but the first records.
  void shorten(Cell& cell, std::uint32_t count) {
    if (__builtin_expect(cell.count > Cell::kInline, 0))
      spills_[cell.spill - 1U]->resize(count > Cell::kInline ? count - Cell::kInline : 0);
    cell.count = count;
  }

 private:
  static constexpr std::size_t kKeptMax = 64;  // cells that stay saved
  static constexpr unsigned kPartBits = 30;    // of the address: a part of the shadow covers a gigabyte
  static constexpr std::uint64_t kAddressEnd = std::uint64_t{1} << 47;
  // One for each part of all 64-bit addresses, so that the fast path needs no comparison. The table is
  // reserved address space (128 GiB); few of its pages are ever touched.
  static constexpr std::size_t kParts = std::size_t{1} << (64 - kPartBits);
  using Spill = std::vector<Record>;
  struct Mark {
    std::uint32_t run;    // the run that led to the mark
    std::size_t saved;    // cells
    std::size_t records;  // of their spills
    std::size_t spills_used;
  };
  struct Saved {
    Cell* cell;
    Cell before;
  };

  Cell* map_part(std::uint64_t part);
  void begin_run();
  void put_back_saved();
  Cell& use_first(std::uint64_t address);  // the first use in this run
  void note_marks();
  Record& add_spilled(Cell& cell);

  Map map_;
  Cell** parts_ = nullptr;
  Cell beyond_{};  // kAddressEnd
  std::uint32_t run_ = 0;
  std::vector<std::unique_ptr<Spill>> spills_;
  std::size_t spills_used_ = 0;
  std::vector<Mark> marks_;
  std::uint32_t first_marked_ = 0;     // the run that led to the first mark
  std::uint32_t marked_ = 0;           // the number of runs, from that one on, that may have led to marks
  std::size_t saved_max_ = 4096;       // cells; with more, no more are saved
  std::vector<Saved> saved_;           // since the first mark
  std::vector<Record> saved_records_;  // of their spills
};

// The runs that led to marks are among those from the first one to the last one.
[[gnu::always_inline]] inline Cell* Shadow::cell_at_hand(std::uint64_t address) {
  Cell* const cells = parts_[address >> kPartBits];
  if (__builtin_expect(cells == nullptr, 0)) return nullptr;
  Cell& cell = cells[(address & ((std::uint64_t{1} << kPartBits) - 1)) / kCellBytes];
  if (cell.run == run_) return &cell;
  if (cell.run - first_marked_ < marked_) return nullptr;
  cell.run = run_;
  cell.count = cell.spill = cell.sync = 0;
  return &cell;
}

[[gnu::always_inline]] inline Cell& Shadow::cell(std::uint64_t address) {
  Cell* const cell = cell_at_hand(address);
  return cell != nullptr ? *cell : use_first(address);
}

}  // namespace thrum
