// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a plan that runs the steps of a solver's model, with its inputs.
#pragma once

#include <functional>
#include <span>

#include "causality/thread_trees.hpp"
#include "model/plan.hpp"
#include "model/trace.hpp"
#include "symbolic/solver.hpp"

namespace thrum {

// order: nodes that begin steps. chosen_by: the waiter that a signal wakes, where several sleep; else kNone.
void write_steps(Plan& plan, const ThreadTrees& trees, std::span<const ThreadTrees::Node> order,
                 const std::function<ThreadTrees::Node(ThreadTrees::Node)>& chosen_by);

// REQUIRES: the solver has a model.
void write_inputs(Plan& plan, std::span<const RecordedInput> inputs, Solver& solver);

}  // namespace thrum
