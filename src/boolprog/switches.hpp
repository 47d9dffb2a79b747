// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The places in the code at which a context switch makes a difference.
//
// A step of a thread is shared if it reads a global that another thread may write, or writes one that another
// thread may read or write. Steps that start, end, wait for or exclude threads are always shared. A step that
// is not shared commutes with all steps of other threads. So a thread that would begin a context with such a
// step can take it before the switch. For each execution there is an equivalent one, with no more contexts,
// in which
//   each further context of a thread begins with a shared step, and
//   each context ends before a shared step or, if the thread never moves again, after its last shared step.
// (This is the most common case of partial-order reduction: Godefroid, LNCS 1032, 1996.)
//
// The first context of a thread begins at its entry, and the last one of an execution ends at the failure.
#pragma once

#include <vector>

#include "boolprog/flow.hpp"

namespace thrum::bp {

// For each place in the code, and for the place of threads that have ended.
struct SwitchPlaces {
  std::vector<bool> begins;  // a further context of the thread may begin here
  std::vector<bool> ends;    // a context that is not the last of all may end here
};

// For each initial thread; the last element is for all threads that are started.
std::vector<SwitchPlaces> switch_places(const Flow& flow);

}  // namespace thrum::bp
