// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "execution/pct_policy.hpp"

#include <algorithm>
#include <cmath>

namespace thrum {

namespace {

// The ranges of priorities, from the lowest: threads behind all others; lowered at a change point; others.
constexpr std::uint64_t kLowered = std::uint64_t{1} << 62;
constexpr std::uint64_t kInitial = std::uint64_t{1} << 63;

}  // namespace

void PctPolicy::begin(const Policy& policy) {
  random_ = Random(policy.seed);
  change_points_.clear();
  const Parameters parameters(policy);
  for (std::uint32_t i = 1; i < parameters.depth; ++i)
    change_points_.push_back(1 + random_.below(std::max<std::uint64_t>(parameters.steps, 1)));
  priorities_.clear();
  step_ = 0;
  lowest_ = kLowered;
  sources_ = 0;
  as_expected_ = true;
}

// Drawn when first needed. The order of the sources is as random as if all were drawn at the beginning.
std::uint64_t& PctPolicy::priority(Source source) {
  if (priorities_.size() <= source) priorities_.resize(source + 1, 0);
  std::uint64_t& priority = priorities_[source];
  if (priority == 0) {
    bool is_thread = source % kSourcesPerThread == 0;
    priority = is_thread || random_.below(2) == 0 ? kInitial | random_.next() : --lowest_;
    ++sources_;
  }
  return priority;
}

void PctPolicy::fall_behind(Source source) {
  std::uint64_t& mine = priority(source);
  mine = --lowest_;
  as_expected_ = false;
}

std::uint16_t PctPolicy::choose(const ChoicePoint& point, std::span<const Option> options, Pending&) {
  if (point.key.kind != ChoiceKind::thread) return static_cast<std::uint16_t>(random_.below(options.size()));
  if (point.yielded) fall_behind(source_of(point.key.thread));
  std::uint16_t best = 0;
  std::uint64_t highest = 0;
  for (std::size_t i = 0; i < options.size(); ++i) {
    std::uint64_t mine = priority(source_of(point, options, i));
    if (mine <= highest) continue;
    highest = mine;
    best = static_cast<std::uint16_t>(i);
  }
  return best;
}

void PctPolicy::follow(const ChoicePoint& point, std::span<const Option> options, std::uint16_t taken,
                       Pending&) {
  if (point.key.kind != ChoiceKind::thread) {
    as_expected_ = false;
    return;
  }
  if (options.size() > 1 && options.size() > point.enabled) as_expected_ = false;
  Source source = source_of(point, options, taken);
  priority(source);
  ++step_;
  for (std::size_t i = 0; i < change_points_.size(); ++i) {
    if (change_points_[i] == step_) priority(source) = kLowered + i;
  }
  if (taken >= point.enabled && point.enabled > 0) fall_behind(source);
}

void PctPolicy::finish(Sampling& sampling) const {
  sampling.as_expected = as_expected_;
  sampling.sources = sources_;
}

}  // namespace thrum
