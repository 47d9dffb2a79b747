// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which pending operations may depend on each other.
#pragma once

#include "model/trace.hpp"

namespace thrum {

// Whether the order of what two threads will do next may matter, by the table of dependent(). True also where
// that depends on more than is published: a wait's mutex, a signal's receiver, whom a cancel is for. False
// for operations of one thread. Tested by may_race_test.cpp.
bool may_race(const PendingOperation& a, const PendingOperation& b);

}  // namespace thrum
