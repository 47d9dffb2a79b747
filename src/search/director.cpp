// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/director.hpp"

#include <algorithm>

namespace thrum {

void Director::begin(const Plan& plan, Strategy* online, Recording recording, Trace& trace) {
  trace.clear();
  trace_ = &trace;
  online_ = online && online->online() ? online : nullptr;
  policy_ = plan.policy;
  random_ = Random(plan.policy.seed);
  recording_ = recording;
  next_ = plan.departures.data();
  end_ = next_ + plan.departures.size();
  paused_ = false;
  advance();
}

void Director::pause() {
  static constexpr Departure kNoDeparture{{kNoThread, ChoiceKind::thread, 0}, {kNoThread, Via::run}};
  if (paused_) return;
  paused_ = true;
  held_ = next_;
  next_ = &kNoDeparture;
  silent_ = true;
}

void Director::resume() {
  if (!paused_) return;
  paused_ = false;
  next_ = held_;
  advance();
}

void Director::advance() {
  silent_ = next_ != end_ && recording_ == Recording::fringe && policy_.kind == Policy::Kind::base;
}

std::uint16_t Director::choose(const ChoicePoint& point, std::span<const Option> options, Pending& pending) {
  const bool departs = next_ != end_ && next_->key == point.key;
  if (options.size() == 1 && !online_ && !departs) return 0;  // nothing to choose
  std::uint16_t fallback = default_option(point, options, policy_.base);
  if (paused_) return fallback;
  std::uint16_t taken = decide(point, options, fallback, pending);
  if (taken == kStop) return kStop;
  if (options.size() > 1 && (recording_ != Recording::fringe || next_ == end_)) {
    ChoicePoint& written = trace_->choices.emplace_back(point);
    written.taken = taken;
    written.cost_before = static_cast<std::uint16_t>(trace_->cost);
    written.options_begin = static_cast<std::uint32_t>(trace_->options.size());
    written.options_count = static_cast<std::uint16_t>(options.size());
    trace_->options.insert(trace_->options.end(), options.begin(), options.end());
  }
  if (departs) {
    ++next_;
    advance();
  }
  if (taken != fallback) trace_->cost += option_cost(point, options, taken, policy_.base);
  return taken;
}

std::uint16_t Director::decide(const ChoicePoint& point, std::span<const Option> options,
                               std::uint16_t fallback, Pending& pending) {
  if (next_ != end_ && next_->key == point.key) {
    auto found = std::find(options.begin(), options.end(), next_->option);
    if (found != options.end()) return static_cast<std::uint16_t>(found - options.begin());
    trace_->end = End::diverged;
    return kStop;
  }
  if (online_ && next_ == end_) {
    Advice advice = online_->at_point(View{point, options, fallback, pending, *trace_});
    if (advice.kind == Advice::Kind::take) return advice.option;
    if (advice.kind == Advice::Kind::stop) {
      trace_->end = End::stopped;
      return kStop;
    }
    if (advice.kind == Advice::Kind::leave) online_ = nullptr;
  }
  if (policy_.kind == Policy::Kind::random) return static_cast<std::uint16_t>(random_.below(options.size()));
  return fallback;
}

void Director::finish() {
  resume();
  if (next_ != end_ && trace_->end == End::finished) trace_->end = End::diverged;
}

}  // namespace thrum
