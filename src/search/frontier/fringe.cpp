// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/frontier/fringe.hpp"

#include <algorithm>

#include "support/check.hpp"

namespace thrum {

// Adds plans that come one after another to the tree, so that they share the nodes of their common
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

// Of each key half of what lies in memory: what lies in the file is found there by this fringe alone.
void Fringe::split(Fringe& other) {
  THRUM_CHECK(other.size() == 0);
  std::size_t odd = 1;
  std::vector<Departure> departures;
  std::vector<Key> emptied;
  for (auto& [key, bucket] : buckets_) {
    std::size_t total = 0;
    for (const auto& block : bucket.blocks) total += block.size();
    std::size_t left = (total + odd) / 2;  // to go
    if (total % 2 == 1) odd = 1 - odd;
    if (left == total && bucket.segments.empty()) emptied.push_back(key);
    Builder builder(other);
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

// ---- Save and load -------------------------------------------------------------------------------

namespace {

void put_group(ByteWriter& out, Fringe::Key key, std::uint32_t count, const std::string& bytes) {
  out.put(true);
  out.put(key);
  out.put(count);
  out.put_string(bytes);
  out.settle();
}

// Names are long, and there may be millions of plans; so each name is written once. By id.
std::vector<ThreadId> load_names(ByteReader& in, ThreadNames& names) {
  std::vector<ThreadId> ids;
  for (std::uint32_t left = in.get_count(); left > 0 && in.ok(); --left) {
    std::optional<ThreadId> id = names.parse(in.get_string());
    if (!id) in.fail();
    ids.push_back(id.value_or(kMainThread));
  }
  return ids;
}

// False where a plan is of a thread that has no name.
bool rename(std::vector<Departure>& departures, const std::vector<ThreadId>& ids) {
  for (Departure& departure : departures) {
    const bool names_thread = departure.key.kind != ChoiceKind::value;
    if (departure.key.thread >= ids.size() || (names_thread && departure.option.value >= ids.size()))
      return false;
    departure.key.thread = ids[departure.key.thread];
    if (names_thread) departure.option.value = ids[departure.option.value];
  }
  return true;
}

}  // namespace

// What lies in the file is taken over as it is.
void Fringe::save(ByteWriter& out, const ThreadNames& names) const {
  std::string problem = problem_;
  out.put(excluded_);
  out.put(cost_max_);
  out.put(std::uint64_t{nodes_max_});
  out.put(spilled_);
  out.put(static_cast<std::uint32_t>(names.size()));
  for (std::size_t id = 0; id < names.size(); ++id) out.put_string(names.name(static_cast<ThreadId>(id)));
  std::string bytes;
  std::vector<Departure> before;
  std::vector<Departure> plan;
  for (const auto& [key, bucket] : buckets_) {
    for (const Segment& segment : bucket.segments) {
      if (read_bytes(segment, bytes)) {
        put_group(out, key, segment.count, bytes);
      } else {
        problem = file_->problem();
      }
    }
    for (const auto& block : bucket.blocks) {
      ByteWriter group;
      before.clear();
      for (const Waiting& waiting : block) {
        tree_.path(waiting.node, plan);
        put_plan(group, before, plan, waiting.cost, waiting.again);
        before.swap(plan);
      }
      put_group(out, key, static_cast<std::uint32_t>(block.size()), group.bytes());
    }
  }
  out.put(false);
  out.put_string(problem);
}

void Fringe::load(ByteReader& in, ThreadNames& names) {
  constexpr std::size_t kSettleEach = 1024;
  excluded_ = in.get<bool>();
  cost_max_ = in.get<std::uint32_t>();
  const auto nodes_max = in.get<std::uint64_t>();
  const auto spilled = in.get<std::uint64_t>();
  const std::vector<ThreadId> ids = load_names(in, names);
  std::vector<SpilledPlan> plans;
  Builder builder(*this);
  std::size_t unsettled = 0;
  while (in.get<bool>()) {
    auto key = in.get<Key>();
    auto count = in.get<std::uint32_t>();
    if (!parse(in.get_string_view(), count, false, plans)) return in.fail();
    for (SpilledPlan& plan : plans) {
      if (!rename(plan.departures, ids)) return in.fail();
      builder.push(plan.departures, key, plan.cost, plan.again);
    }
    unsettled += plans.size();
    if (unsettled < kSettleEach) continue;
    unsettled = 0;
    settle();
    builder.forget();
  }
  problem_ = in.get_string();
  nodes_max_ = std::max<std::size_t>(nodes_max_, nodes_max);
  spilled_ = spilled;
}

void Fringe::save_with_nodes(ByteWriter& out) const {
  std::string problem = problem_;
  out.put(excluded_);
  out.put(cost_max_);
  out.put(std::uint64_t{nodes_max_});
  out.put(spilled_);
  out.put(besides_);
  tree_.save(out);
  out.put(std::uint64_t{buckets_.size()});
  std::string bytes;
  for (const auto& [key, bucket] : buckets_) {
    out.put(key);
    out.put(std::uint64_t{bucket.segments.size()});
    for (const Segment& segment : bucket.segments) {
      if (!read_bytes(segment, bytes)) problem = file_->problem();
      out.put(segment.count);
      out.put(segment.cost_min);
      out.put_string(bytes);
      out.settle();
    }
    out.put(std::uint64_t{bucket.blocks.size()});
    for (const auto& block : bucket.blocks) {
      out.put_all(block);
      out.settle();
    }
  }
  out.put_string(problem);
}

void Fringe::load_with_nodes(ByteReader& in) {
  excluded_ = in.get<bool>();
  cost_max_ = in.get<std::uint32_t>();
  nodes_max_ = in.get<std::uint64_t>();
  spilled_ = in.get<std::uint64_t>();
  besides_ = in.get<std::uint64_t>();
  tree_.load(in);
  for (auto buckets = in.get<std::uint64_t>(); buckets > 0 && in.ok(); --buckets) {
    Bucket& bucket = buckets_[in.get<Key>()];
    for (auto count = in.get<std::uint64_t>(); count > 0 && in.ok(); --count) {
      Segment& segment = bucket.segments.emplace_back();
      segment.count = in.get<std::uint32_t>();
      segment.cost_min = in.get<std::uint32_t>();
      in_file_ += segment.count;
      if (settings_.make_file == nullptr) return in.fail();
      if (!write_bytes(in.get_string(), segment)) fail();
    }
    std::vector<Waiting> waiting;
    for (auto count = in.get<std::uint64_t>(); count > 0 && in.ok(); --count) {
      in.get_all(waiting);
      in_memory_ += waiting.size();
      std::vector<Waiting>& block = bucket.blocks.emplace_back();
      block.reserve(std::max(waiting.size(), kBlockMin));
      block.assign(waiting.begin(), waiting.end());
    }
  }
  if (std::string problem = in.get_string(); problem_.empty()) problem_ = problem;
}

SearchStatistics Fringe::statistics() const {
  ExecutionTree::Uncompressed whole;
  if (settings_.measure) whole = tree_.uncompressed();
  return {size(),      tree_.live(),  std::max(nodes_max_, tree_.live()), spilled_, whole.tree,
          whole.apart, whole.complete};
}

}  // namespace thrum
