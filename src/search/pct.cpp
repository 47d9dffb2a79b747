// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/pct.hpp"

#include <algorithm>
#include <cmath>

namespace thrum {

namespace {

// From the lowest: who fell behind all others; who was lowered at a change point; who was not.
constexpr std::uint64_t kLowered = std::uint64_t{1} << 62;
constexpr std::uint64_t kInitial = std::uint64_t{1} << 63;

}  // namespace

void PctPolicy::begin(const Policy& policy) {
  random_ = Random(policy.seed);
  change_points_.clear();
  for (std::uint32_t i = 1; i < policy.depth; ++i)
    change_points_.push_back(1 + random_.below(std::max<std::uint64_t>(policy.steps, 1)));
  priorities_.clear();
  step_ = 0;
  lowest_ = kLowered;
  sources_ = 0;
  as_expected_ = true;
}

// Drawn when it is first asked for, which orders the sources as well as drawing for all at the beginning.
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

bool Pct::next(Plan& plan) {
  plan.policy = steps_ == 0
                    ? Policy{}
                    : Policy{Policy::Kind::pct, Base::nonpreemptive, random_.next(), depth_, steps_, 0, {}};
  plan.departures.clear();
  return true;
}

void Pct::learn(const Plan& plan, const Trace& trace) {
  bool sampled = plan.policy.kind == Policy::Kind::pct;
  bool cut = trace.end != End::finished && trace.end != End::bug;
  if (is_cut_by_limit(trace.end) || (sampled && !cut && !trace.sampling.as_expected))
    unfit_ = true;
  std::uint32_t threads = std::max<std::uint32_t>(trace.threads, trace.sampling.sources);
  if (trace.points > steps_) executions_ = 0;
  steps_ = std::max<std::uint64_t>({steps_, trace.points, 1});
  threads_ = std::max(threads_, threads);
  if (sampled && !cut && plan.policy.steps == steps_) ++executions_;
}

std::unique_ptr<Strategy> Pct::split() {
  auto other = std::make_unique<Pct>(random_.next(), depth_);
  other->threads_ = threads_;
  other->steps_ = steps_;
  other->unfit_ = unfit_;
  return other;
}

void Pct::merge(Strategy& other_strategy) {
  auto& other = dynamic_cast<Pct&>(other_strategy);
  executions_ = (steps_ >= other.steps_ ? executions_ : 0) + (other.steps_ >= steps_ ? other.executions_ : 0);
  threads_ = std::max(threads_, other.threads_);
  steps_ = std::max(steps_, other.steps_);
  unfit_ = unfit_ || other.unfit_;
}

void Pct::save(ByteWriter& out, const ThreadNames&) const {
  out.put(random_.state());
  out.put(threads_);
  out.put(steps_);
  out.put(executions_);
  out.put(unfit_);
}

bool Pct::load(ByteReader& in, ThreadNames&) {
  random_ = Random(in.get<std::uint64_t>());
  threads_ = in.get<std::uint32_t>();
  steps_ = in.get<std::uint64_t>();
  executions_ = in.get<std::uint64_t>();
  unfit_ = in.get<bool>();
  return in.ok();
}

Guarantee Pct::guarantee() const {
  Chance chance;
  chance.of = Chance::Of::bug_of_depth;
  chance.depth = depth_;
  chance.threads = threads_;
  chance.steps = steps_;
  chance.executions = executions_;
  chance.unfit = unfit_;
  if (!unfit_ && executions_ > 0) {
    chance.log_least = -std::log(static_cast<double>(threads_)) -
                       (static_cast<double>(depth_) - 1) * std::log(static_cast<double>(steps_));
  }
  Guarantee guarantee;
  guarantee.chance = chance;
  return guarantee;
}

}  // namespace thrum
