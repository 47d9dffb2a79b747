// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Guesses how many of the executions to come will begin like the last one, and how far: where it pays to keep
// a moment of it, since they can go on from there (waypoints.hpp).
//
// The idea. A search varies what is near the ends of executions far more often than what is near their
// beginnings. For each point, the executions that do the same up to it come in rows. What lengths the last
// rows had says how long a new one will be; and one that is longer already than they were is likely to go on,
// for half as long again.
//
// What it gave, and what other guesses did: docs/experiments/031-where-to-set-waypoints.md.
//
// Thread safety: none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace thrum {

class PrefixForecast {
 public:
  // An execution is over. It did the same as those before it up to so many points, and there it departed.
  void note(std::uint32_t points);

  // The next one is to begin behind `from` points. Up to which point beyond that the moment is to be kept, so
  // that executions behind it save the most points by that; 0: they are not likely to save that many.
  std::uint32_t best_point(std::uint32_t from, std::uint32_t least) const;

  void forget();

 private:
  static constexpr std::int32_t kUnit = 16;             // fractions of an execution that are counted
  static constexpr std::uint32_t kLongest = 1024;       // a longer row is taken for one of so many
  static constexpr std::uint32_t kPointsMax = 1 << 16;  // all points behind are taken for that one
  static constexpr std::uint32_t kNear = 16;  // points before and behind the last departure are tried
  // Of one point. Lengths are in parts of kUnit.
  struct Rows {
    std::int32_t expected = 0;      // length, by the last ones
    std::uint32_t begun_after = 0;  // so many executions, if one goes on

    std::int32_t length(std::uint32_t executions) const {
      return static_cast<std::int32_t>(std::min(executions - begun_after, kLongest)) * kUnit;
    }
  };
  std::vector<Rows> rows_;        // by point
  std::uint32_t common_ = 0;      // rows go on up to that point
  std::uint32_t executions_ = 0;  // so far, modulo 2^32
};

}  // namespace thrum
