// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which memory several threads access. Memory is counted in cells: 8 bytes at an address that is a multiple
// of 8. A cell is shared once two threads, by their names, have accessed it in any executions of this
// process, or of one that it has learned from. So it never ceases to be shared. What a plan does never
// depends on this.
//
// A table holds the first thread of each cell. Its slots are blocks of cells, since programs mostly access
// neighbours: a cell costs two bytes in a large array, and a look-up is rare.
//
// Thread safety: one thread runs at a time. Tested by shared_cells_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/thread_names.hpp"
#include "support/bytes.hpp"
#include "support/slots.hpp"

namespace thrum {

class SharedCells {
 public:
  constexpr SharedCells() = default;

  static constexpr std::uint64_t kBytes = 8;  // of a cell

  // The thread accesses the cell. Whether the cell is shared.
  bool touch(ThreadId thread, std::uint64_t cell);
  // The thread accesses the cells from first to last as far as somebody has accessed them before. For memory
  // that is freed: it may be large, and hardly used.
  void touch_used(ThreadId thread, std::uint64_t first, std::uint64_t last);

  // For a process in which memory lies at the same addresses and threads have the same ids. load() adds what
  // is known there.
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

  // The number of shared cells.
  std::size_t count() const { return shared_.size(); }
  // Calls visit(cell) with each shared cell from first to last, in order of address.
  template <typename Visit>
  void for_each_shared(std::uint64_t first, std::uint64_t last, Visit visit) {
    sort_shared();
    auto cell = std::lower_bound(shared_.begin(), shared_.end(), first);
    for (; cell != shared_.end() && *cell <= last; ++cell) visit(*cell);
  }

 private:
  using Owner = std::uint16_t;  // kNobody, kSeveral, or a thread, counted from 1
  static constexpr Owner kNobody = 0;
  static constexpr Owner kSeveral = 0xffff;
  static constexpr std::uint64_t kBlockCells = 64;
  using Block = std::array<Owner, kBlockCells>;
  struct Slot {
    std::uint64_t number = 0;  // of the block: the number of its first cell, divided by kBlockCells
    std::uint32_t place = 0;   // in blocks_, counted from 1; 0: the slot is free
  };

  // nullptr: nobody has accessed a cell of the block.
  Block* find(std::uint64_t number);
  Block& find_or_add(std::uint64_t number);
  bool touch(Owner& owner, ThreadId thread, std::uint64_t cell);
  void add(Owner& owner, Owner other, std::uint64_t cell);
  void touch_used(Block& block, std::uint64_t number, ThreadId thread, std::uint64_t first,
                  std::uint64_t last);

  void sort_shared();

  Slots<Slot> slots_;
  std::vector<Block> blocks_;
  Slot last_;  // the block that was looked up last
  std::vector<std::uint64_t> shared_;
  std::size_t sorted_ = 0;  // the first so many are in order
};

}  // namespace thrum
