// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One execution that shows what a ContextSearch found, step by step.
#pragma once

#include "boolprog/contexts.hpp"
#include "boolprog/interpreter.hpp"

namespace thrum::bp {

// The execution has more steps than can be shown.
class TraceTooLong : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// REQUIRES: search.failure(). The interpreter takes each step; one that it cannot take is an internal error.
Execution witness(const Transfer& transfer, const ContextSearch& search, const Goal& goal);

}  // namespace thrum::bp
