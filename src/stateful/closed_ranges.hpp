// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which numbers are closed, where they are closed from some number up to the highest one so far: the states
// whose strongly connected components are complete, numbered as depth-first search comes to them (Tarjan,
// "Depth-first search and linear graph algorithms", 1972). Ranges that touch are one, so few remain.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace thrum {

class ClosedRanges {
 public:
  void clear() { ranges_.clear(); }
  // Closes [begin, end). REQUIRES: no number from end on is closed.
  void close(std::uint32_t begin, std::uint32_t end) {
    while (!ranges_.empty() && ranges_.back().begin >= begin) ranges_.pop_back();
    if (!ranges_.empty() && ranges_.back().end == begin)
      ranges_.back().end = end;
    else
      ranges_.push_back({begin, end});
  }
  bool has(std::uint32_t number) const {
    const auto behind = std::ranges::upper_bound(ranges_, number, {}, &Range::begin);
    return behind != ranges_.begin() && number < std::prev(behind)->end;
  }
  std::uint64_t bytes() const { return ranges_.capacity() * sizeof(Range); }

 private:
  struct Range {
    std::uint32_t begin;
    std::uint32_t end;
  };
  std::vector<Range> ranges_;
};

}  // namespace thrum
