// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many different states executions come to that are chosen in different orders, and do not know what
// others have visited: figure 2 of Musuvathi and Qadeer, PLDI 2007.
//
//   icb      with 0 preemptions, then with 1, and so on
//   dfs      depth first
//   random   each choice by chance
//   db:N     depth first, where what comes behind N steps is not searched
//
// Tested by state_curves_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "stateful/state_program.hpp"

namespace thrum {

struct StateCurve {
  struct Point {
    std::uint64_t executions = 0;
    std::uint64_t states = 0;  // that so many executions have come to
  };
  std::string name;
  std::vector<Point> points;  // ascending; the last one is the end
};

// Of so many executions each, or fewer where there are no more. has_to_stop: asked again and again.
std::vector<StateCurve> state_curves(StateProgram& program, std::uint64_t executions, std::uint64_t seed,
                                     const std::function<bool()>& has_to_stop);

}  // namespace thrum
