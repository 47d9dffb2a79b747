// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `thrum` asks of the module that has Z3. Z3 is large and not everywhere, so the module is loaded where
// it is needed. No exception passes.
#pragma once

#include "symbolic/solver.hpp"

namespace thrum {

inline constexpr const char* kSolverModule = "lib/thrum/libthrum-solver.so";
inline constexpr const char* kSolverFunction = "thrum_make_solver";
// A new solver, which the caller deletes. The terms must outlive it.
using SolverFunction = Solver* (*)(const Terms& terms);

}  // namespace thrum
