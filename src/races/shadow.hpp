// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shadow memory: for each eight bytes of the program's memory that are ever accessed, the accesses that a
// later one may race with, and the synchronization objects that lie there.
//
// Every cell says in which run it was last used, so that nothing is cleared between executions. A run is an
// execution, or what follows a mark: a moment of an execution that others begin with. Who goes back to a mark
// begins a new run; cells that were last used before the mark are saved when they are used first behind it.
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
  std::uint32_t clock = 0;
  std::uint16_t thread = 0;
  std::uint8_t bytes = 0;  // a bit each
  AccessKind kind = AccessKind::plain_read;

  Epoch when() const { return {clock, thread}; }
  // cell_begin: the address of the cell's first byte.
  Access access(std::uint64_t cell_begin) const {
    auto first = static_cast<unsigned>(std::countr_zero(bytes));
    return {cell_begin + first, static_cast<std::uint32_t>(std::bit_width(bytes)) - first, kind, code,
            when()};
  }
};
static_assert(sizeof(Record) == 16);

inline constexpr std::uint64_t kCellBytes = 8;

struct Cell {
  static constexpr std::size_t kInline = 3;
  std::uint32_t run;        // what follows is of this one
  std::uint32_t count;      // of records
  std::uint32_t spill;      // 0: none; else its place in Shadow's list and one
  std::uint32_t sync;       // 0: none; else a list in the detector begins there
  Record records[kInline];  // the first ones; the others are in the spill
};
static_assert(sizeof(Cell) == 64);

class Shadow {
 public:
  // Gives zeroed memory that is never given back; nullptr where there is none.
  using Map = void* (*)(std::size_t bytes);

  explicit constexpr Shadow(Map map) : map_(map) {}

  // Forgets all records, and all marks.
  void begin_execution();

  // Sets a mark: a run that ends here, so that later ones can begin here too.
  void set_mark();
  // Goes back to the mark with that number, counted from 0 in the order in which they were set, and forgets
  // those behind it. REQUIRES: can_return().
  void return_to(std::size_t mark);
  // False where there is none, or too much has happened since.
  bool can_return() const { return !marks_.empty() && saved_.size() < kSavedMax; }

  // REQUIRES: address < 2^47.
  Cell& cell(std::uint64_t address);

  Record& record(Cell& cell, std::size_t index) {
    if (index < Cell::kInline) return cell.records[index];
    return (*spills_[cell.spill - 1U])[index - Cell::kInline];
  }
  Record& add(Cell& cell) {
    if (cell.count < Cell::kInline) return cell.records[cell.count++];
    return add_spilled(cell);
  }
  // Takes away all but the first records.
  void shorten(Cell& cell, std::uint32_t count) {
    if (__builtin_expect(cell.count > Cell::kInline, 0))
      spills_[cell.spill - 1U]->resize(count > Cell::kInline ? count - Cell::kInline : 0);
    cell.count = count;
  }

 private:
  static constexpr std::size_t kSavedMax = 4096;  // cells; then no more are saved
  static constexpr unsigned kPartBits = 30;       // of the address: a part of the shadow covers a gigabyte
  static constexpr std::size_t kParts = std::size_t{1} << (47 - kPartBits);
  using Spill = std::vector<Record>;
  struct Mark {
    std::uint32_t run;  // that led there
    std::size_t saved;  // cells
    std::size_t spills_used;
  };
  struct Saved {
    Cell* cell;
    Cell before;
  };

  Cell* map_part(std::uint64_t part);
  void begin_run();
  void use_first(Cell& cell);  // in this run
  Record& add_spilled(Cell& cell);

  Map map_;
  Cell** parts_ = nullptr;
  std::uint32_t run_ = 0;
  std::vector<std::unique_ptr<Spill>> spills_;
  std::size_t spills_used_ = 0;
  std::vector<Mark> marks_;
  std::vector<Saved> saved_;           // since the first mark
  std::vector<Record> saved_records_;  // of their spills
};

[[gnu::always_inline]] inline Cell& Shadow::cell(std::uint64_t address) {
  std::uint64_t part = address >> kPartBits;
  Cell* cells = parts_[part];
  if (__builtin_expect(cells == nullptr, 0)) cells = map_part(part);
  Cell& cell = cells[(address & ((std::uint64_t{1} << kPartBits) - 1)) / kCellBytes];
  if (cell.run != run_) use_first(cell);
  return cell;
}

}  // namespace thrum
