// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Invariants: conditions over the program's memory that hold between any two steps (thrum_invariant).
//
// Each is evaluated at each choice, before the next thread goes on, on the stack of the thread that did the
// last step. That is no operation of the program's and leaves no event.
//
// A search that runs one schedule of each class does not come to all states, so that is not enough: two
// stores to different variables are independent, and between them there are two states. So there is a thread
// for each invariant, its checker, whose only operation is to evaluate it once (Operation::invariant). The
// operation depends on all that other threads do. So in some execution of a complete search it comes behind
// any steps that other threads may have done, and the search needs to know nothing else.
//
// What a check reads plainly is no data race, and it orders nothing.
//
// Tested by tests/endtoend/invariants_test.cpp and tests/programs/{correct,wrong}/thrum/invariant*.cpp.
//
// Rejected: the steps that write what an invariant reads depend on each other, and there is no checker. That
// makes fewer classes. But which steps these are is known only when they have been run, and searches have to
// know before with what a step is in conflict.
#pragma once

#include <cstdint>

#include "model/bug.hpp"
#include "runtime/base/thread.hpp"

namespace thrum {

// Evaluates the invariant of that thread. The bug if it does not hold.
void check_invariant(const Thread& checker);
[[noreturn, gnu::cold]] void fail_invariant(const Thread& checker);

// If an invariant is being evaluated, that is over, and its thread goes on as one of the program: true.
bool leave_invariant();

// The invariant that is being evaluated accesses memory.
void check_in_invariant(AccessKind kind, const volatile void* address);
// It does what it must not. does: "writes memory".
[[noreturn, gnu::cold]] void refuse_in_invariant(const char* does);

}  // namespace thrum
