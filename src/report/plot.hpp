// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a search's coverage grew, as a picture: after Figures 1 and 2 of Musuvathi and Qadeer, "Iterative
// context bounding for systematic testing of multithreaded programs", PLDI 2007, with classes of executions
// where they count states.
//
// Tested by plot_test.cpp.
#pragma once

#include <string>

#include "report/result.hpp"
#include "report/svg_chart.hpp"

namespace thrum {

// Of all that a search saw, the part that it saw within each bound; a curve for each search in order of cost.
// Classes where they were counted, else executions.
Chart coverage_by_bound(const Result& result);

// Classes against executions.
Chart coverage_growth(const Result& result);

// Local states against executions; without curves where they were not counted.
Chart local_states_growth(const Result& result);
// The same of values, with --coverage values.
Chart values_growth(const Result& result);

// Of a search with --state-cache: states within each bound, of all there are; and with --state-curves, how
// many states executions come to that are chosen in different orders.
Chart states_by_bound(const Result& result);
Chart states_growth(const Result& result);

// All that have curves, as SVG; without states, the first two in any case.
std::string coverage_plot(const Result& result);

}  // namespace thrum
