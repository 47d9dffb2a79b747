// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a race can be turned round: before which step the later operation could have come instead.
//
// Mostly that is its rival. But what waits for something cannot come before whoever brings that about: a lock
// is not taken before the unlock that it follows, but it is before the lock that this unlock ends. So two
// sections that compete for a lock are reversed as acquisitions (docs/semantics.md, "Classes and states").
//
// Tested by reversal_test.cpp.
#pragma once

#include "order/partial_order.hpp"

namespace thrum {

struct Reversal {
  // The step before which the later one may come, with whatever does not depend on that step; kNone: nowhere.
  PartialOrder::Index before = PartialOrder::kNone;
  // Whether it can surely go on there. False: perhaps not, and each thread that can must be tried.
  bool certain = true;
};

// For a step and one of its rivals.
Reversal reversal(const PartialOrder& order, PartialOrder::Index late, PartialOrder::Index rival);

// What the later step is expected to do there: it may end in another way than it did.
Event as_reversed(const PartialOrder& order, PartialOrder::Index late, PartialOrder::Index before);

// For a last step that was not done, since it waits in vain.
Reversal reversal_of_blocked(const PartialOrder& order, PartialOrder::Index late);

}  // namespace thrum
