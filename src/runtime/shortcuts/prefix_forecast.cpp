// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/shortcuts/prefix_forecast.hpp"

namespace thrum {

void PrefixForecast::note(std::uint32_t points) {
  points = std::min(points, kPointsMax);
  if (rows_.size() <= points) rows_.resize(points + std::size_t{1});
  for (std::uint32_t point = points + 1; point <= common_; ++point) {
    Rows& rows = rows_[point];
    rows.expected += (rows.length(executions_) - rows.expected) / 4;
  }
  for (std::uint32_t point = common_ + 1; point <= points; ++point) rows_[point].begun_after = executions_;
  common_ = points;
  ++executions_;
}

std::uint32_t PrefixForecast::best_point(std::uint32_t from, std::uint32_t least) const {
  std::uint32_t point = std::max(from + 1, common_ - std::min(common_, kNear));
  const auto end = static_cast<std::uint32_t>(std::min<std::size_t>(rows_.size(), common_ + kNear));
  std::uint32_t best = 0;
  std::int32_t most = static_cast<std::int32_t>(least) * kUnit - 1;
  const auto look = [&](std::int32_t will_come) {
    const std::int32_t saved = will_come * static_cast<std::int32_t>(point - from);
    if (saved <= most) return;
    most = saved;
    best = point;
  };
  for (; point <= common_; ++point) {
    const std::int32_t came = rows_[point].length(executions_);
    look(std::max(rows_[point].expected - came - kUnit, came / 2));
  }
  for (; point < end; ++point) look(rows_[point].expected - kUnit);
  return best;
}

void PrefixForecast::forget() {
  rows_.clear();
  common_ = 0;
}

}  // namespace thrum
