// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Estimates how many of the next executions will begin like the last one, and up to which point. A waypoint
// at that point pays, since they can go on from there (waypoints.hpp).
//
// The idea. A search varies the ends of executions far more often than their beginnings. For each point,
// consecutive executions that are equal up to that point form a row. The lengths of the last rows give the
// expected length of a new one. A row that is already longer than expected is likely to go on, for half as
// long again.
//
// For results and for other estimates see docs/experiments/031-where-to-set-waypoints.md.
//
// Thread safety: none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace thrum {

class PrefixForecast {
 public:
  // An execution is over. It was equal to the one before up to so many points, and departed there.
  void note(std::uint32_t points);

  // The next execution is to begin after `from` points. Returns the point beyond that at which a waypoint
  // saves the later executions the most points; 0: it is not likely to save `least` points.
  std::uint32_t best_point(std::uint32_t from, std::uint32_t least) const;

  void forget();

 private:
  static constexpr std::int32_t kUnit = 16;             // the unit of lengths is 1 / kUnit of an execution
  static constexpr std::uint32_t kLongest = 1024;       // longer rows count as so long
  static constexpr std::uint32_t kPointsMax = 1 << 16;  // all later points count as this one
  static constexpr std::uint32_t kNear = 16;            // points so near the last departure are tried
  // The rows of one point. Lengths are in units of 1 / kUnit.
  struct Rows {
    std::int32_t expected = 0;      // length, by the last rows
    std::uint32_t begun_after = 0;  // the execution after which the present row began

    std::int32_t length(std::uint32_t executions) const {
      return static_cast<std::int32_t>(std::min(executions - begun_after, kLongest)) * kUnit;
    }
  };
  std::vector<Rows> rows_;        // by point
  std::uint32_t common_ = 0;      // rows go on up to that point
  std::uint32_t executions_ = 0;  // so far, modulo 2^32
};

}  // namespace thrum
