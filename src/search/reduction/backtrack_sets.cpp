// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/reduction/backtrack_sets.hpp"

#include <algorithm>

namespace thrum {

BacktrackSets::Entry* BacktrackSets::Set::find(const Step& step) {
  auto found =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.step == step; });
  return found == entries.end() ? nullptr : &*found;
}

BacktrackSets::Entry* BacktrackSets::Set::find_waiting(const Step& step) {
  auto found = std::find_if(entries.begin(), entries.end(),
                            [&](const Entry& entry) { return entry.step == step && entry.order == kWaits; });
  return found == entries.end() ? nullptr : &*found;
}

bool BacktrackSets::Set::runs_again(const Step& step) const {
  return std::any_of(entries.begin(), entries.end(),
                     [&](const Entry& entry) { return entry.awake && entry.step == step; });
}

// The first one is the owner's own.
BacktrackSets::Entry* BacktrackSets::Set::find_run(Node node) {
  auto found = std::find_if(entries.begin() + 1, entries.end(),
                            [&](const Entry& entry) { return entry.order != kWaits && entry.node == node; });
  return found == entries.end() ? nullptr : &*found;
}

namespace {

template <typename Sets>
auto place_of(Sets& sets, std::uint32_t depth) {
  return std::lower_bound(sets.begin(), sets.end(), depth,
                          [](const auto& one, std::uint32_t wanted) { return one.depth < wanted; });
}

}  // namespace

BacktrackSets::Set* BacktrackSets::find(Node owner, std::uint32_t depth) {
  auto found = by_owner_.find(owner);
  if (found == by_owner_.end()) return nullptr;
  auto set = place_of(found->second.sets, depth);
  return set == found->second.sets.end() || set->depth != depth ? nullptr : &*set;
}

bool BacktrackSets::is_guess(Node owner, ChoiceKey key, const Step& step) const {
  auto found = by_owner_.find(owner);
  if (found == by_owner_.end()) return false;
  auto set = std::ranges::find(found->second.sets, key, &Set::key);
  return set != found->second.sets.end() && std::ranges::any_of(set->entries, [&](const Entry& entry) {
           return entry.is_guess && entry.step == step;
         });
}

BacktrackSets::Owner& BacktrackSets::of(Node owner) {
  auto [found, is_new] = by_owner_.try_emplace(owner);
  if (is_new) bytes_ += kOwnerBytes;
  return found->second;
}

void BacktrackSets::continue_as_child(Node owner) { of(owner).continued = true; }

BacktrackSets::Set& BacktrackSets::make(Node owner, std::uint32_t depth, ChoiceKey key, const Entry& first) {
  std::vector<Set>& sets = of(owner).sets;
  Set& set = *sets.insert(place_of(sets, depth), Set{});
  set.key = key;
  set.depth = depth;
  set.entries.reserve(2);
  set.entries.push_back(first);
  set.entries.back().order = 0;
  bytes_ += sizeof(Set) + sizeof(Entry);
  ++count_;
  return set;
}

BacktrackSets::Entry& BacktrackSets::add(Set& set, const Step& step) {
  bytes_ += sizeof(Entry);
  return set.entries.emplace_back(Entry{step});
}

void BacktrackSets::node_gone(Node node, Node parent, ChoiceKey key) {
  if (auto found = by_owner_.find(node); found != by_owner_.end()) {
    drop(found->second.sets, 0);
    by_owner_.erase(found);
    bytes_ -= kOwnerBytes;
  }
  auto found = by_owner_.find(parent);
  if (found == by_owner_.end()) return;
  auto& [sets, continued] = found->second;
  auto set = std::find_if(sets.begin(), sets.end(), [&](const Set& one) { return one.key == key; });
  Entry* entry = set == sets.end() ? nullptr : set->find_run(node);
  if (entry != nullptr) {
    entry->node = ExecutionTree::kRoot;  // another node may get its number
    --set->live;
  } else {
    continued = false;
  }
  if (continued) return;
  // No plan that waits passes the last sets of which no child lives.
  std::size_t count = sets.size();
  while (count > 0 && sets[count - 1].live == 0) --count;
  drop(sets, count);
  if (!sets.empty()) return;
  by_owner_.erase(found);
  bytes_ -= kOwnerBytes;
}

// All but the first ones.
void BacktrackSets::drop(std::vector<Set>& sets, std::size_t count) {
  for (std::size_t i = count; i < sets.size(); ++i)
    bytes_ -= sizeof(Set) + sets[i].entries.size() * sizeof(Entry);
  count_ -= sets.size() - count;
  sets.resize(count);
}

std::uint32_t BacktrackSets::number_of(const StepView& planned) {
  PlannedStep kept({}, essential(*planned.event));
  kept.foe = planned.foe;
  kept.creates = planned.creates;
  return events_.keep(kept);
}

void BacktrackSets::save(ByteWriter& out) const {
  out.put(bytes_);
  out.put(std::uint64_t{count_});
  events_.save(out);
  out.put(std::uint64_t{by_owner_.size()});
  for (const auto& [node, owner] : by_owner_) {
    out.put(node);
    out.put(owner.continued);
    out.put(std::uint64_t{owner.sets.size()});
    for (const Set& set : owner.sets) save_member(out, set);
    out.settle();
  }
}

void BacktrackSets::load(ByteReader& in) {
  bytes_ = in.get<std::uint64_t>();
  count_ = in.get<std::uint64_t>();
  events_.load(in);
  by_owner_.clear();
  for (auto owners = in.get<std::uint64_t>(); owners > 0 && in.ok(); --owners) {
    Owner& owner = by_owner_[in.get<Node>()];
    owner.continued = in.get<bool>();
    for (auto sets = in.get<std::uint64_t>(); sets > 0 && in.ok(); --sets)
      load_member(in, owner.sets.emplace_back());
  }
}

}  // namespace thrum
