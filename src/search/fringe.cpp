// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/fringe.hpp"

#include <algorithm>

#include "support/check.hpp"

namespace thrum {

// Puts plans that come one after another into the tree, so that they share the nodes of their common
// beginnings. Only the last plan is known, so it must still wait when the next one comes.
class Fringe::Builder {
 public:
  explicit Builder(Fringe& fringe) : fringe_(fringe) {}

  void push(const std::vector<Departure>& departures, Key key, std::uint32_t cost, bool again) {
    ExecutionTree& tree = fringe_.tree_;
    std::size_t shared = 0;
    while (shared < nodes_.size() && shared < departures.size() && last_[shared] == departures[shared])
      ++shared;
    nodes_.resize(shared);
    last_.assign(departures.begin(), departures.end());
    Node node = shared == 0 ? ExecutionTree::kRoot : nodes_.back();
    if (shared == departures.size()) tree.hold(node);
    for (std::size_t i = shared; i < departures.size(); ++i) {
      Node child = tree.add(node, departures[i]);
      if (i > shared) tree.release(node);
      nodes_.push_back(child);
      node = child;
    }
    fringe_.push_node({node, limited(cost), again}, key);
  }

  // The last plan may wait no more.
  void forget() { nodes_.clear(); }

 private:
  Fringe& fringe_;
  std::vector<Departure> last_;
  std::vector<Node> nodes_;
};

void Fringe::push_plan(const std::vector<Departure>& departures, Key key, std::uint32_t cost, bool again) {
  Builder(*this).push(departures, key, cost, again);
}

void Fringe::push_path(Node from, std::span<const Departure> departures, std::uint32_t step, Key key,
                       std::uint32_t cost) {
  Node node = from;
  for (const Departure& departure : departures) {
    const Node child = tree_.add(node, departure, step);
    if (node != from) tree_.release(node);
    node = child;
  }
  push_node({node, limited(cost), false}, key);
}

std::size_t Fringe::first_size() const {
  std::size_t count = 0;
  if (buckets_.empty()) return count;
  const Bucket& bucket = buckets_.begin()->second;
  for (const Segment& segment : bucket.segments) count += segment.count;
  for (const auto& block : bucket.blocks) count += block.size();
  return count;
}

// Blocks grow, so that many small buckets take little and a large one is never copied.
void Fringe::add_block(Bucket& bucket) {
  std::size_t size =
      bucket.blocks.empty() ? kBlockMin : std::min(bucket.blocks.back().capacity() * 2 + 2, kBlockMax);
  bucket.blocks.emplace_back().reserve(size);
}

void Fringe::forget_bucket(Key key) {
  Recent& recent = recent_[key % kRecent];
  if (recent.key == key) recent.bucket = nullptr;
  buckets_.erase(key);
}

bool Fringe::pop(Waiting& taken) {
  if (size() == 0 || !problem_.empty()) return false;
  auto& [key, bucket] = *buckets_.begin();
  if (bucket.blocks.empty() && !unspill(key, bucket)) return false;
  std::vector<Waiting>& block = bucket.blocks.back();
  taken = block.back();
  block.pop_back();
  --in_memory_;
  cost_max_ = std::max<std::uint32_t>(cost_max_, taken.cost);
  if (!block.empty()) return true;
  bucket.blocks.pop_back();
  if (bucket.blocks.empty() && bucket.segments.empty()) forget_bucket(key);
  return true;
}

std::optional<std::uint32_t> Fringe::cheapest() const {
  std::optional<std::uint32_t> least;
  auto meet = [&](std::uint32_t cost) { least = std::min(least.value_or(cost), cost); };
  for (const auto& [key, bucket] : buckets_) {
    for (const Segment& segment : bucket.segments) meet(segment.cost_min);
    for (const auto& block : bucket.blocks) {
      for (const Waiting& waiting : block) meet(waiting.cost);
    }
  }
  return least;
}

// The topmost segment comes back.
bool Fringe::unspill(Key key, Bucket& bucket) {
  std::vector<SpilledPlan> plans;
  Segment segment = bucket.segments.back();
  if (!read_segment(segment, plans)) {
    fail();
    return false;
  }
  bucket.segments.pop_back();
  file_->discard(segment.offset, segment.size);
  in_file_ -= segment.count;
  put_back(plans, key);
  return true;
}

void Fringe::put_back(const std::vector<SpilledPlan>& plans, Key key) {
  Builder builder(*this);
  for (const SpilledPlan& plan : plans) {
    if (settings_.keeps_inner) {
      push_node({tree_.add(plan.parent, plan.departures[0]), limited(plan.cost), plan.again}, key);
      tree_.release(plan.parent);
    } else {
      builder.push(plan.departures, key, plan.cost, plan.again);
    }
  }
}

// What departs from a plan costs no less than it.
Guarantee Fringe::guarantee(Base base, std::optional<std::uint32_t> limit) const {
  Guarantee guarantee;
  std::optional<std::uint32_t> left = cheapest();
  guarantee.exhausted = !left && problem_.empty();
  guarantee.complete = guarantee.exhausted && !excluded_;
  Bound bound{base, limit, std::nullopt};
  if (guarantee.exhausted) {
    bound.completed = limit ? *limit : cost_max_;
  } else if (left && *left > 0 && problem_.empty()) {  // else cheaper ones may be lost
    bound.completed = *left - 1;
  }
  guarantee.bounds.push_back(bound);
  return guarantee;
}

void Fringe::split(Fringe& other) {
  THRUM_CHECK(other.size() == 0);
  other.file_ = file_;
  std::size_t odd = 1;
  std::vector<Departure> departures;
  std::vector<SpilledPlan> plans;
  std::vector<Key> emptied;
  for (auto& [key, bucket] : buckets_) {
    std::size_t total = 0;
    for (const Segment& segment : bucket.segments) total += segment.count;
    for (const auto& block : bucket.blocks) total += block.size();
    std::size_t left = (total + odd) / 2;  // to go
    if (total % 2 == 1) odd = 1 - odd;
    if (left == total) emptied.push_back(key);
    while (left > 0 && !bucket.segments.empty() && bucket.segments[0].count <= left) {
      left -= bucket.segments[0].count;
      in_file_ -= bucket.segments[0].count;
      other.in_file_ += bucket.segments[0].count;
      other.find(key)->segments.push_back(bucket.segments[0]);
      bucket.segments.erase(bucket.segments.begin());
    }
    Builder builder(other);
    if (left > 0 && !bucket.segments.empty()) {  // in the middle of a segment
      if (!read_segment(bucket.segments[0], plans)) return fail();
      auto cut = plans.begin() + static_cast<std::ptrdiff_t>(left);
      for (auto plan = plans.begin(); plan != cut; ++plan)
        builder.push(plan->departures, key, plan->cost, plan->again);
      Segment& front = bucket.segments[0];
      file_->discard(front.offset, front.size);
      plans.erase(plans.begin(), cut);
      if (!write_plans(plans, front)) return fail();
      in_file_ -= left;
      left = 0;
    }
    while (left > 0) {
      std::vector<Waiting>& block = bucket.blocks[0];
      auto end = block.begin() + static_cast<std::ptrdiff_t>(std::min(left, block.size()));
      left -= static_cast<std::size_t>(end - block.begin());
      for (auto waiting = block.begin(); waiting != end; ++waiting) {
        tree_.path(waiting->node, departures);
        builder.push(departures, key, waiting->cost, waiting->again);
        leave_out(*waiting);
      }
      block.erase(block.begin(), end);
      if (block.empty()) bucket.blocks.erase(bucket.blocks.begin());
    }
  }
  for (Key key : emptied) forget_bucket(key);
  other.settle();
}

// The plan leaves the memory.
void Fringe::leave_out(const Waiting& waiting) {
  --in_memory_;
  if (settings_.keeps_inner) tree_.hold(tree_.parent(waiting.node));
  tree_.release(waiting.node);
}

void Fringe::merge(Fringe& other) {
  if (problem_.empty()) problem_ = other.problem_;
  std::vector<Departure> departures;
  std::vector<SpilledPlan> plans;
  Builder builder(*this);
  for (auto& [key, bucket] : other.buckets_) {
    for (const Segment& segment : bucket.segments) {
      if (!other.read_segment(segment, plans)) {
        other.fail();
        if (problem_.empty()) problem_ = other.problem_;
        break;
      }
      other.file_->discard(segment.offset, segment.size);
      for (const SpilledPlan& plan : plans) builder.push(plan.departures, key, plan.cost, plan.again);
      settle();
      builder.forget();
    }
    for (const auto& block : bucket.blocks) {
      for (const Waiting& waiting : block) {
        other.tree_.path(waiting.node, departures);
        builder.push(departures, key, waiting.cost, waiting.again);
      }
      settle();
      builder.forget();
    }
  }
  excluded_ = excluded_ || other.excluded_;
  cost_max_ = std::max(cost_max_, other.cost_max_);
  spilled_ += other.spilled_;
  Settings settings = other.settings_;
  other = Fringe(settings);
}

namespace {

void save_plan(ByteWriter& out, const ThreadNames& names, Fringe::Key key, std::uint32_t cost, bool again,
               Plan& plan) {
  out.put(true);
  out.put(key);
  out.put(cost);
  out.put(again);
  write_plan(out, plan, names);
}

}  // namespace

void Fringe::save(ByteWriter& out, const ThreadNames& names) const {
  std::string problem = problem_;
  out.put(excluded_);
  out.put(cost_max_);
  Plan plan;
  std::vector<SpilledPlan> plans;
  for (const auto& [key, bucket] : buckets_) {
    for (const Segment& segment : bucket.segments) {
      if (!read_segment(segment, plans)) {
        problem = file_->problem();
        continue;
      }
      for (SpilledPlan& spilled : plans) {
        plan.departures.swap(spilled.departures);
        save_plan(out, names, key, spilled.cost, spilled.again, plan);
      }
    }
    for (const auto& block : bucket.blocks) {
      for (const Waiting& waiting : block) {
        tree_.path(waiting.node, plan.departures);
        save_plan(out, names, key, waiting.cost, waiting.again, plan);
      }
    }
  }
  out.put(false);
  out.put_string(problem);
}

void Fringe::load(ByteReader& in, ThreadNames& names) {
  constexpr std::size_t kSettleEach = 1024;
  excluded_ = in.get<bool>();
  cost_max_ = in.get<std::uint32_t>();
  Builder builder(*this);
  for (std::size_t count = 1; in.get<bool>(); ++count) {
    auto key = in.get<Key>();
    auto cost = in.get<std::uint32_t>();
    bool again = in.get<bool>();
    Plan plan = read_plan(in, names);
    if (cost > kCostMax) in.fail();
    if (!in.ok()) return;
    builder.push(plan.departures, key, cost, again);
    if (count % kSettleEach != 0) continue;
    settle();
    builder.forget();
  }
  problem_ = in.get_string();
}

SearchStatistics Fringe::statistics() const {
  ExecutionTree::Uncompressed whole;
  if (settings_.measure) whole = tree_.uncompressed();
  return {size(), tree_.live(), std::max(nodes_max_, tree_.live()), spilled_, whole.tree, whole.apart};
}

}  // namespace thrum
