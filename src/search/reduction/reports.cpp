// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/reduction/reports.hpp"

namespace thrum {

void Reports::add(std::uint32_t depth, std::span<const StepView> steps) {
  places_.push_back(
      {depth, static_cast<std::uint32_t>(steps_.size()), static_cast<std::uint32_t>(steps.size())});
  for (const StepView& step : steps) steps_.push_back(kinds_.keep(step));
}

std::vector<StepView> Reports::steps(std::size_t report) const {
  std::vector<StepView> steps;
  for (std::uint32_t i = 0; i < places_[report].count; ++i)
    steps.emplace_back(kinds_[steps_[places_[report].begin + i]]);
  return steps;
}

void Reports::save(ByteWriter& out) const {
  out.put_all(places_);
  out.put_all(steps_);
  kinds_.save(out);
}

void Reports::load(ByteReader& in) {
  in.get_all(places_);
  in.get_all(steps_);
  kinds_.load(in);
}

}  // namespace thrum
