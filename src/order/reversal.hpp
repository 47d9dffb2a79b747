// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a race can be reversed: before which step the later operation could have come.
//
// Mostly this is its rival. But an operation that waits cannot come before the step that ends its wait: a
// lock is not taken before the unlock that it follows, but it can be taken before the lock that this unlock
// ends. So critical sections that compete for a lock are reversed as acquisitions (docs/semantics.md,
// "Classes and states").
//
// Tested by reversal_test.cpp.
#pragma once

#include "order/partial_order.hpp"

namespace thrum {

struct Reversal {
  // The step before which the later one may come, with all steps that do not depend on that step; kNone:
  // none.
  PartialOrder::Index before = PartialOrder::kNone;
  // Whether the later step is certainly enabled there. If not, each enabled thread must be tried.
  bool certain = true;
};

// For a step and one of its rivals.
Reversal reversal(const PartialOrder& order, PartialOrder::Index late, PartialOrder::Index rival);

// What the later step is expected to do there; its outcome may be another one.
Event as_reversed(const PartialOrder& order, PartialOrder::Index late, PartialOrder::Index before);

// For a last step that was not done, because it is blocked.
Reversal reversal_of_blocked(const PartialOrder& order, PartialOrder::Index late);

}  // namespace thrum
