// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The module's entry: module.hpp says why there is one.
#include "solver/module.hpp"

#include "solver/z3_solver.hpp"

extern "C" __attribute__((visibility("default"))) thrum::Solver* thrum_make_solver(
    const thrum::Terms& terms) {
  return new thrum::Z3Solver(terms);
}
