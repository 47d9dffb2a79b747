// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Charts as SVG: curves over axes with ticks, and a legend. Knows nothing of what is shown.
//
// Tested by plot_test.cpp.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace thrum {

struct Axis {
  std::string label;
  bool logarithmic = false;  // then from 1 on
  bool percent = false;      // from 0 to 100
  bool whole = false;        // only whole numbers have a tick
};

struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;  // by x
  bool marks = false;                             // a dot at each point
};

struct Chart {
  std::string title;
  std::string note;  // below the title, smaller; may be empty
  Axis x;
  Axis y;
  std::vector<Curve> curves;
};

// Where an axis has ticks: round numbers, from its least to its greatest, which become such numbers.
std::vector<double> ticks(const Axis& axis, double& least, double& greatest);

// The charts one below the other, as a document.
std::string svg_of(const std::vector<Chart>& charts);

}  // namespace thrum
