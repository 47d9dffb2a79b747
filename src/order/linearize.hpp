// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds another order of an execution's steps, as their dependences allow, with few preemptions and few
// switches of threads.
//
// A random schedule of sixty steps may have thirty preemptions, most of them between steps that are
// independent. All orders that keep the order of dependent steps are one class and show the same bug. Finding
// the cheapest order is NP-complete (Musuvathi and Qadeer, "Partial-order reduction for context-bounded state
// exploration", 2007). So a beam search looks for a cheap one: step by step it keeps the best few hundred
// reachable states.
//
// Events show only in part what a switch costs: whether the thread could have gone on. The caller runs the
// order to find out.
//
// Tested by linearize_test.cpp.
#pragma once

#include <vector>

#include "model/trace.hpp"

namespace thrum {

// The steps in the new order; only those that the failure needs, if a single thread fails. Empty if there are
// too many steps. REQUIRES: the trace has all its events, from the beginning.
std::vector<Event> cheapest_order(const Trace& trace);

}  // namespace thrum
