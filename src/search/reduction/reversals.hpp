// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which races of an execution are to be reversed, and from which point: a function of the execution alone.
// What is run for a reversal is another matter (dpor_races.cpp).
//
// Mostly the later step of a race is to come before the earlier one. But an operation that waited cannot come
// before what let it go on (order/reversal.hpp), what happens by chance is possible only at some points, and
// an operation that waits for a limited time may time out instead.
#pragma once

#include <span>
#include <vector>

#include "search/reduction/path.hpp"

namespace thrum {

class Reversals {
 public:
  using Index = Path::Index;
  struct Found {
    Index early;      // the later step of the race is to come before this one
    bool is_sure;     // false: perhaps it cannot, so each thread is to be tried there
    Step taken = {};  // the later step, as it is taken then
  };

  // For a step of path.order() and a rival of it. The answer is good until the next question.
  std::span<const Found> of_race(const Path& path, Index late, Index rival);

  // For the last step of path.order(), which was not done, since it waits in vain.
  std::span<const Found> of_blocked(const Path& path, Index late);

  // The later step as it was taken, or, of a thread that did not come to it, by running on.
  static Step as_taken(const Path& path, Index late);

 private:
  void add(const Path& path, Index late, Index early) {
    found_.push_back({early, true, as_taken(path, late)});
  }
  void find(const Path& path, Index late, Index before, bool is_certain);
  void find_unsure(const Path& path, Index late, Index rival);
  void find_by_chance(const Path& path, Index late, Index rival);
  void find_timeout(const Path& path, Index late, Index rival);

  std::vector<Found> found_;
};

}  // namespace thrum
