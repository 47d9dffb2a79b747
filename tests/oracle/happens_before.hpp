// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Happens-before by its definition in C++20 ([intro.races], [atomics.order], [atomics.fences]): a graph over
// the steps of a trace, and paths in it. Neither clocks nor sets: what the detectors are held against.
#pragma once

#include <vector>

#include "oracle/race_trace.hpp"

namespace thrum {

class HappensBefore {
 public:
  // trace must outlive it.
  explicit HappensBefore(const RaceTrace& trace);

  // Whether step j happens before step i. REQUIRES: j < i
  bool ordered(std::size_t j, std::size_t i) const { return before_[i][j]; }

  // The earlier accesses that step i races with, in order.
  std::vector<std::size_t> racing(std::size_t i) const;

 private:
  void include(std::size_t i, std::size_t j);
  bool synchronizes(std::size_t j, std::size_t i) const;
  bool passes_on(std::size_t j, std::size_t i) const;
  std::vector<std::size_t> sequence_read_by(std::size_t read) const;

  const RaceTrace& trace_;
  std::vector<std::vector<bool>> before_;
};

}  // namespace thrum
