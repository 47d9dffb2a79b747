// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Another order of the same: the steps of an execution, as their dependences allow, with as few preemptions
// and switches of threads as can be found.
//
// A random schedule of sixty steps may have thirty preemptions, and most of them stand between steps that do
// not concern each other. All orders that keep the dependent steps as they were are one class and show the
// same bug. To find the cheapest of them is NP-complete (Musuvathi and Qadeer, "Partial-order reduction for
// context-bounded state exploration", 2007), so a beam search looks for a cheap one: step by step, the best
// few hundred of all the states that can be reached.
//
// What a switch costs can only be told in part from events: whether the thread could have gone on. The caller
// runs the order, and sees.
//
// Tested by linearize_test.cpp.
#pragma once

#include <vector>

#include "model/trace.hpp"

namespace thrum {

// The steps; only those that the failure needs, where it is one thread's. Empty where there are too many.
// REQUIRES: trace has all its events, from the beginning.
std::vector<Event> cheapest_order(const Trace& trace);

}  // namespace thrum
