// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reads of threads' trees by their places in the program, with the values that they gave.
//
// Tested by list_decisions_test.cpp.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "causality/thread_trees.hpp"
#include "search/shown_decisions.hpp"

namespace thrum {

// undecided: nodes behind which nobody knows what the thread can do. reason: of a node, why it is not known
// what else is possible there; empty: nothing else is.
ShownDecisions list_decisions(const ThreadTrees& trees, std::span<const ThreadTrees::Node> undecided,
                              const std::function<std::string(ThreadTrees::Node)>& reason);

}  // namespace thrum
