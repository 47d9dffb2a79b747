// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which pending operations may depend on each other.
#pragma once

#include "model/trace.hpp"

namespace thrum {

// Whether the order of the next operations of two threads may matter, by the table of dependent(). Also true
// if this depends on something that is not published: the mutex of a wait, the receiver of a signal, the
// target of a cancel. False for operations of one thread. Tested by may_race_test.cpp.
bool may_race(const PendingOperation& a, const PendingOperation& b);

}  // namespace thrum
