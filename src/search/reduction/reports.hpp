// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a delegate reports: reversals of races at points of the search that delegated a subtree to it
// (dpor_split.cpp).
//
// Example: the delegate found that thread 2 or thread 3 has to go first at point 4. The report is point 4 and
// the steps of the two threads, of which one is to be run there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "order/planned_step.hpp"
#include "support/bytes.hpp"

namespace thrum {

class Reports {
 public:
  bool empty() const { return places_.empty(); }
  std::size_t size() const { return places_.size(); }

  // From the point at that depth one of the steps is to be run. REQUIRES: there is one
  void add(std::uint32_t depth, std::span<const StepView> steps);

  std::uint32_t depth(std::size_t report) const { return places_[report].depth; }
  // They refer to what lies here.
  std::vector<StepView> steps(std::size_t report) const;

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  struct Place {
    std::uint32_t depth;
    std::uint32_t begin;  // of its steps
    std::uint32_t count;
  };
  std::vector<Place> places_;
  std::vector<PlannedSteps::Number> steps_;
  PlannedSteps kinds_;  // few steps are different
};

}  // namespace thrum
