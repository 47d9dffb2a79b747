// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which assertions of a program can fail in the executions that a form of the sequential program covers:
// exhaustive search over states that are remembered.
#pragma once

#include <set>
#include <stdexcept>

#include "sequentialize/machine.hpp"

namespace thrum::seq::random {

class TooManyStates : public std::runtime_error {
 public:
  TooManyStates() : std::runtime_error("too many states") {}
};

using Failing = std::set<int>;

// A stack of threads. At a point the running thread goes on, or ends for good, or one that was created is
// started above it. Where more than `pending` wait for their start, the newest starts at once, unless in an
// atomic section.
Failing by_kiss(const Machine& machine, int pending, std::size_t states);
// Threads take turns in the order of their numbers.
Failing by_rounds(const Machine& machine, int rounds, std::size_t states);
// Any interleaving; switches: at most so many changes of the thread that runs, or -1.
Failing by_any(const Machine& machine, int switches, std::size_t states);

// Whether all that memory ever holds between the steps of any interleaving lies in [0, limit).
bool stays_below(const Machine& machine, int limit, std::size_t states);

}  // namespace thrum::seq::random
