// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// At which places in the code a switch of threads makes a difference.
//
// A step of a thread is shared if it reads a global that another thread may write, or writes one that another
// thread may read or write; what starts, ends, waits for or keeps out threads is shared in any case. A step
// that is not commutes with all that other threads do. So where a thread goes on with such a step after a
// switch, it may as well do it before: each execution is one, with no more contexts, in which
//   a thread goes on in a further context with a shared step, and
//   a context ends in front of a shared step, or, where the thread never moves again, behind its last one.
// (The commonest case of partial-order reduction: Godefroid, LNCS 1032, 1996.)
//
// The first context of a thread begins where the thread does, and the last one of all ends where it fails.
#pragma once

#include <vector>

#include "boolprog/flow.hpp"

namespace thrum::bp {

// For each place in the code, and that of threads that have ended.
struct SwitchPlaces {
  std::vector<bool> begins;  // a further context of the thread
  std::vector<bool> ends;    // a context that is not the last of all
};

// Of each thread that is there from the beginning; then, in one, of those that are started.
std::vector<SwitchPlaces> switch_places(const Flow& flow);

}  // namespace thrum::bp
