// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/random/pct.hpp"

#include <algorithm>
#include <cmath>

namespace thrum {

bool Pct::next(Plan& plan) {
  plan.policy = steps_ == 0 ? Policy{} : PctPolicy::Parameters{depth_, steps_}.with_seed(random_.next());
  plan.policy.waiting = Waiting::values;
  plan.departures.clear();
  return true;
}

void Pct::learn(const Plan& plan, const Trace& trace) {
  bool sampled = plan.policy.kind == Policy::Kind::pct;
  bool cut = trace.end != End::finished && trace.end != End::bug;
  if (is_cut_by_limit(trace.end) || (sampled && !cut && !trace.sampling.as_expected)) unfit_ = true;
  std::uint32_t threads = std::max<std::uint32_t>(trace.counts.threads, trace.sampling.sources);
  if (trace.counts.points > steps_) executions_ = 0;
  steps_ = std::max<std::uint64_t>({steps_, trace.counts.points, 1});
  threads_ = std::max(threads_, threads);
  if (sampled && !cut && PctPolicy::Parameters(plan.policy).steps == steps_) ++executions_;
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
