// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "execution/director.hpp"

#include <algorithm>

#include "execution/policies.hpp"

namespace thrum {

void Director::begin(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace) {
  trace.clear();
  trace_ = &trace;
  advisor_ = advisor;
  base_ = plan.policy.base;
  fairness_ = plan.policy.fairness;
  trace.fairness = fairness_;
  trace.waiting = plan.policy.waiting;
  trace.rounds = plan.policy.rounds;
  if (fairness_ != Fairness::off) fair_.begin(fairness_);
  policy_ = nullptr;
  policy_needs_all_ = false;
  if (plan.policy.kind != Policy::Kind::base) begin_policy(plan.policy);
  from_ = wanted.from;
  wants_events_ = wanted.has(Wanted::kEvents);
  wants_past_ = wanted.has(Wanted::kPast);
  wants_places_ = wanted.has(Wanted::kPlaces);
  next_ = plan.departures.data();
  end_ = next_ + plan.departures.size();
  paused_ = false;
  first_new_ = next_ + std::min(wanted.known_departures, plan.departures.size());
  newest_ = first_new_ == end_ && next_ != end_ ? end_ - 1 : first_new_;
  branch_point_ = kNever;
  at_branch_ = next_ == end_;
  advance();
  if (advisor_ != nullptr) advisor_->begin();
  asked_ = silent_;  // some choices may pass without anybody being asked
}

void Director::skip(std::size_t departures, std::uint32_t cost) {
  next_ += departures;
  trace_->cost = cost;
  asked_ = true;
  advance();
}

void Director::begin_policy(const Policy& policy) {
  if (made_kind_ != policy.kind) made_ = make_policy(policy.kind);
  made_kind_ = policy.kind;
  policy_ = made_.get();
  policy_->begin(policy);
  policy_needs_all_ = policy_->needs_all();
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
  asked_ = asked_ || silent_;
}

void Director::advance() {
  const bool knows_the_way =
      from_ == Wanted::From::last_departure || (from_ == Wanted::From::new_departure && next_ <= first_new_);
  silent_ = next_ != end_ && knows_the_way && !policy_ && !(fairness_ != Fairness::off && fair_.active());
}

bool Director::writes_down() const {
  if (from_ == Wanted::From::last_departure) return next_ == end_;
  return from_ == Wanted::From::start || at_branch_;
}

std::uint16_t Director::choose(const ChoicePoint& point, std::span<const Option> options, Pending& pending) {
  if (fairness_ != Fairness::off && !paused_ && point.key.kind == ChoiceKind::thread &&
      fair_.has_to_know(point, options))
    return choose_fairly(point, options, pending);
  return choose_among(point, options, pending);
}

std::uint16_t Director::choose_fairly(const ChoicePoint& point, std::span<const Option> options,
                                      Pending& pending) {
  const bool new_here = next_ == end_;
  fair_.meet(point, options, pending);
  if (fairness_ == Fairness::watch && fair_.starves()) {
    trace_->starved = true;
    trace_->end = End::stopped;
    return kStop;
  }
  ChoicePoint fair_point = point;
  const bool withheld = fair_.withhold(fair_point, options, fair_options_, fair_from_);
  if (withheld && new_here) ++trace_->counts.withheld;
  std::uint16_t taken =
      choose_among(fair_point, withheld ? std::span<const Option>(fair_options_) : options, pending);
  if (taken == kStop) return kStop;
  if (withheld) taken = fair_from_[taken];
  fair_.take(options[taken], pending);
  if (fair_.active()) silent_ = false;
  return taken;
}

std::uint16_t Director::choose_among(const ChoicePoint& point, std::span<const Option> options,
                                     Pending& pending) {
  const bool departs = next_ != end_ && next_->key == point.key;
  if (!paused_) asked_ = true;
  if (options.size() == 1 && !advisor_ && !departs) {  // no choice is open
    if (policy_ && !paused_ && point.key.kind == ChoiceKind::thread)
      policy_->follow(point, options, 0, pending);
    return 0;
  }
  std::uint16_t fallback = default_option(point, options, base_);
  if (paused_) return fallback;
  std::uint16_t taken = decide(point, options, fallback, pending);
  if (taken == kStop) return kStop;
  if (policy_) policy_->follow(point, options, taken, pending);
  if (departs && next_ == first_new_) {
    at_branch_ = true;
    trace_->branch = static_cast<std::uint32_t>(trace_->events.size());
  }
  if (options.size() > 1 && writes_down()) {
    ChoicePoint& written = trace_->choices.emplace_back(point);
    written.taken = taken;
    written.cost_before = static_cast<std::uint16_t>(trace_->cost);
    written.options_begin = static_cast<std::uint32_t>(trace_->options.size());
    written.options_count = static_cast<std::uint16_t>(options.size());
    trace_->options.insert(trace_->options.end(), options.begin(), options.end());
  }
  if (departs) {
    if (next_ == newest_) branch_point_ = point.step;
    ++next_;
    advance();
  }
  if (taken != fallback) trace_->cost += option_cost(point, options, taken, base_);
  return taken;
}

std::uint16_t Director::decide(const ChoicePoint& point, std::span<const Option> options,
                               std::uint16_t fallback, Pending& pending) {
  if (next_ != end_ && next_->key == point.key) {
    auto found = std::find(options.begin(), options.end(), next_->option);
    if (found != options.end()) return static_cast<std::uint16_t>(found - options.begin());
    trace_->end = unfollowed();
    return kStop;
  }
  if (advisor_ && next_ == end_) {
    Advice advice = advisor_->at_point(View{point, options, fallback, pending, *trace_});
    if (advice.kind == Advice::Kind::take) return advice.option;
    if (advice.kind == Advice::Kind::stop) {
      trace_->end = End::stopped;
      return kStop;
    }
    if (advice.kind == Advice::Kind::leave) advisor_ = nullptr;
  }
  return policy_ && options.size() > 1 ? policy_->choose(point, options, pending) : fallback;
}

void Director::finish() {
  resume();
  if (next_ != end_ && trace_->end == End::finished) trace_->end = unfollowed();
  if (policy_) policy_->finish(trace_->sampling);
}

}  // namespace thrum
