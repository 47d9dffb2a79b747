// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The coarsest partition of memory in which each access touches whole cells.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

namespace thrum {

class Cells {
 public:
  struct Cell {
    std::uint64_t begin = 0;
    std::uint32_t size = 0;  // in bytes
    std::uint32_t number = 0;
  };

  // Whether the cells that were there are as they were.
  bool add(std::uint64_t object, std::uint32_t size) {
    const std::uint64_t end = object + size;
    bool stays = split(object);
    stays = split(end) && stays;
    for (std::uint64_t at = object; at < end;) {
      const auto next = cells_.lower_bound(at);
      const std::uint64_t until = next == cells_.end() || next->first > end ? end : next->first;
      if (until == at) {
        at += next->second.size;
        continue;
      }
      const auto number = static_cast<std::uint32_t>(cells_.size());
      cells_.emplace(at, Cell{at, static_cast<std::uint32_t>(until - at), number});
      at = until;
    }
    return stays;
  }

  // REQUIRES: the access was added.
  std::vector<Cell> of(std::uint64_t object, std::uint32_t size) const {
    std::vector<Cell> found;
    for (auto cell = cells_.find(object); cell != cells_.end() && cell->first < object + size; ++cell)
      found.push_back(cell->second);
    return found;
  }

  std::size_t size() const { return cells_.size(); }
  // By where they begin.
  const std::map<std::uint64_t, Cell>& all() const { return cells_; }

 private:
  // Whether no cell has that place inside it.
  bool split(std::uint64_t at) {
    auto next = cells_.upper_bound(at);
    if (next == cells_.begin()) return true;
    Cell& cell = std::prev(next)->second;
    const std::uint64_t end = cell.begin + cell.size;
    if (cell.begin == at || end <= at) return true;
    const auto number = static_cast<std::uint32_t>(cells_.size());
    cell.size = static_cast<std::uint32_t>(at - cell.begin);
    cells_.emplace(at, Cell{at, static_cast<std::uint32_t>(end - at), number});
    return false;
  }

  std::map<std::uint64_t, Cell> cells_;  // by begin
};

}  // namespace thrum
