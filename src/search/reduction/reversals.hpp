// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which races of an execution are to be reversed, and from which point: a function of the execution alone.
// What is run for a reversal is another matter (backtracking.hpp).
//
// Mostly the later step of a race is to come before the earlier one. But a lock is not taken before the
// unlock that it follows; it can be taken before the lock that this unlock ends. So critical sections that
// compete for a lock are reversed as acquisitions (docs/semantics.md, "Classes and states"). What happens by
// chance is possible only at some points, and an operation that waits for a limited time may time out
// instead. An await comes before a step only if the value that it reads there enables it; else it may come
// before an earlier one.
//
// Tested by reversals_test.cpp.
#pragma once

#include <span>
#include <vector>

#include "order/conditions.hpp"
#include "search/reduction/path.hpp"

namespace thrum {

// By what the operations of an execution are, whatever was possible at its points.
struct Reversal {
  PartialOrder::Index before =
      PartialOrder::kNone;  // the later step may come before that one; kNone: nowhere
  bool certain = true;      // the later step is enabled there. If not, each enabled thread must be tried
};

// For a step and one of its rivals.
Reversal reversal(const PartialOrder& order, PartialOrder::Index late, PartialOrder::Index rival);

// For a last step that was not done, because it is blocked.
Reversal reversal_of_blocked(const PartialOrder& order, PartialOrder::Index late);

// What the later step is expected to do there; its outcome may be another one.
Event as_reversed(const PartialOrder& order, PartialOrder::Index late, PartialOrder::Index before);

// And by what was possible at the points of the path.
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

  // For an await of path.order(), whether it was done or waits in vain: all its reversals. A step that does
  // not enable it covers none of the steps before it (Jonsson, Lång, Sagonas, Awaiting for Godot, FMCAD
  // 2022).
  // end: the step that ended the execution by a bug, which the pending await was not done behind; kNone:
  // none.
  std::span<const Found> of_await(const Path& path, Index late, const Conditions& conditions,
                                  Index end = PartialOrder::kNone);
  // Of the last call: the steps before which it would read a value of which nothing is known.
  struct Unknown {
    Index early;
    std::uint64_t value;
  };
  std::span<const Unknown> unknown() const { return unknown_; }

  // The later step as it was taken, or, of a thread that did not come to it, by running on.
  static Step as_taken(const Path& path, Index late);

 private:
  void add(const Path& path, Index late, Index early) {
    found_.push_back({early, true, as_taken(path, late)});
  }
  void find(const Path& path, Index late, Reversal turned);
  void find_unsure(const Path& path, Index late, Index rival);
  void find_by_chance(const Path& path, Index late, Index rival);
  void find_timeout(const Path& path, Index late, Index rival);

  std::vector<Found> found_;
  std::vector<Unknown> unknown_;
};

}  // namespace thrum
