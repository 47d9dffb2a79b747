// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/systematic.hpp"

#include <algorithm>

#include "support/check.hpp"

namespace thrum {

namespace {
// ChoicePoint::cost_before holds no more. Only what a file says can be beyond it.
constexpr std::uint32_t kCostMax = 0xffff;
}  // namespace

Systematic::Systematic(Settings settings) : settings_(settings) {
  push_plan({}, {ExecutionTree::kRoot, 0, 0});
}

void Systematic::push(Waiting waiting) {
  std::size_t bucket = bucket_of(waiting.cost);
  if (buckets_.size() <= bucket) buckets_.resize(bucket + 1);
  buckets_[bucket].push_back(waiting);
  ++waiting_;
  first_ = std::min(first_, bucket);
}

// as: all but the node.
void Systematic::push_plan(const std::vector<Departure>& departures, Waiting as) {
  Node node = ExecutionTree::kRoot;
  for (const Departure& departure : departures) {
    Node child = tree_.add(node, departure);
    if (node != ExecutionTree::kRoot) tree_.release(node);
    node = child;
  }
  as.node = node;
  push(as);
}

bool Systematic::next(Plan& plan) {
  while (first_ < buckets_.size() && buckets_[first_].empty()) ++first_;
  if (first_ == buckets_.size()) return false;
  running_ = buckets_[first_].back();
  buckets_[first_].pop_back();
  --waiting_;
  cost_max_ = std::max<std::uint32_t>(cost_max_, running_.cost);
  plan.policy = Policy{Policy::Kind::base, settings_.base, 0};
  tree_.path(running_.node, plan.departures);
  return true;
}

void Systematic::learn(const Plan&, const Trace& trace) {
  const bool full = waiting_ >= settings_.fringe_max;
  std::optional<std::uint32_t>
      later;  // the least cost of what departs from this execution and is left for another run
  // The deepest choice is pushed last and so served first; of one choice's options the first.
  for (const ChoicePoint& point : trace.choices) {
    std::span<const Option> options = trace.options_of(point);
    for (std::size_t i = options.size(); i-- > 0;) {
      if (i == point.taken) continue;
      std::uint32_t cost =
          point.cost_before + option_cost(point, options, static_cast<std::uint16_t>(i), settings_.base);
      if (running_.again && cost < running_.cost) continue;  // was pushed before
      if (settings_.limit && cost > *settings_.limit) {
        excluded_ = true;
      } else if (full && bucket_of(cost) > bucket_of(running_.cost)) {
        later = std::min(later.value_or(cost), cost);
      } else {
        push({tree_.add(running_.node, {point.key, options[i]}), cost & kCostMax, 0});
      }
    }
  }
  if (later) {
    push({running_.node, *later & kCostMax, 1});
  } else if (running_.node != ExecutionTree::kRoot) {
    tree_.release(running_.node);
  }
}

std::unique_ptr<Strategy> Systematic::split() {
  if (fringe_size() < 2) return nullptr;
  auto other = std::make_unique<Systematic>(settings_);
  other->buckets_.clear();
  other->waiting_ = 0;
  std::vector<Departure> departures;
  // The older half of each bucket: the plans that depart early have the most below them. Where a bucket
  // cannot be halved, the odd one goes now to the other, now to neither, so that both have something to do.
  std::size_t odd = 1;
  for (auto& bucket : buckets_) {
    auto half = bucket.begin() + static_cast<std::ptrdiff_t>((bucket.size() + odd) / 2);
    if (bucket.size() % 2 == 1) odd = 1 - odd;
    for (auto waiting = bucket.begin(); waiting != half; ++waiting) {
      tree_.path(waiting->node, departures);
      other->push_plan(departures, *waiting);
      if (waiting->node != ExecutionTree::kRoot) tree_.release(waiting->node);
    }
    waiting_ -= static_cast<std::size_t>(half - bucket.begin());
    bucket.erase(bucket.begin(), half);
  }
  return other;
}

void Systematic::merge(Strategy& other_strategy) {
  auto& other = dynamic_cast<Systematic&>(other_strategy);
  std::vector<Departure> departures;
  for (auto& bucket : other.buckets_) {
    for (const Waiting& waiting : bucket) {
      other.tree_.path(waiting.node, departures);
      push_plan(departures, waiting);
    }
    bucket.clear();
  }
  other.waiting_ = 0;
  other.tree_ = ExecutionTree();
  excluded_ = excluded_ || other.excluded_;
  cost_max_ = std::max(cost_max_, other.cost_max_);
}

void Systematic::save(ByteWriter& out, const ThreadNames& names) const {
  out.put(excluded_);
  out.put(cost_max_);
  out.put(static_cast<std::uint32_t>(fringe_size()));
  Plan plan;
  for (const auto& bucket : buckets_) {
    for (const Waiting& waiting : bucket) {
      tree_.path(waiting.node, plan.departures);
      out.put(std::uint32_t{waiting.cost});
      out.put(waiting.again != 0);
      write_plan(out, plan, names);
    }
  }
}

bool Systematic::load(ByteReader& in, ThreadNames& names) {
  buckets_.clear();
  waiting_ = 0;
  tree_ = ExecutionTree();
  first_ = 0;
  excluded_ = in.get<bool>();
  cost_max_ = in.get<std::uint32_t>();
  std::uint32_t count = in.get_count();
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
    auto cost = in.get<std::uint32_t>();
    bool again = in.get<bool>();
    Plan plan = read_plan(in, names);
    if (cost > kCostMax) in.fail();
    if (in.ok()) push_plan(plan.departures, {ExecutionTree::kRoot, cost & kCostMax, again});
  }
  return in.ok();
}

Guarantee Systematic::guarantee() const {
  Guarantee guarantee;
  std::optional<std::uint32_t> cheapest;
  for (const auto& bucket : buckets_) {
    for (const Waiting& waiting : bucket) {
      cheapest = std::min<std::uint32_t>(cheapest.value_or(waiting.cost), waiting.cost);
    }
  }
  guarantee.exhausted = !cheapest;
  guarantee.complete = guarantee.exhausted && !excluded_;
  Bound bound{settings_.base, settings_.limit, std::nullopt};
  if (cheapest) {
    if (*cheapest > 0) bound.completed = *cheapest - 1;
  } else {
    bound.completed = settings_.limit ? *settings_.limit : cost_max_;
  }
  guarantee.bounds.push_back(bound);
  return guarantee;
}

}  // namespace thrum
