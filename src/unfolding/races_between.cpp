// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unfolding/races_between.hpp"

#include <algorithm>
#include <utility>

namespace thrum {

void RacesBetween::add(Condition condition, Number behind, Number all) {
  const std::size_t conditions = prefix_.slots().conditions();
  if (known_.size() < conditions) {
    known_.resize(conditions);
    below_.resize(conditions);
  }
  known_[condition] = {behind, all};
  learn(std::max(behind, all));
  if (all == FootprintSets::kEmpty) return;
  const std::uint64_t bit = bit_of(all);
  for (Condition each = condition; each != Prefix::kNone && (below_[each] & bit) == 0;
       each = prefix_.slots().parent(each))
    below_[each] |= bit;
  if (partners_[all].empty()) return;
  for (const Slot thread : prefix_.thread_slots()) {
    if (thread != prefix_.slots().slot(condition) && !excludes(condition, thread)) look_in(thread, condition);
  }
}

// Which footprints conflict.
void RacesBetween::learn(Number footprint) {
  while (partners_.size() <= footprint) {
    const auto fresh = static_cast<Number>(partners_.size());
    partners_.emplace_back();
    partner_bits_.push_back(0);
    for (Number other = 1; other <= fresh; ++other) {
      if (!footprints_.conflict(fresh, other)) continue;
      partners_[fresh].push_back(other);
      partner_bits_[fresh] |= bit_of(other);
      if (other == fresh) continue;
      partners_[other].push_back(fresh);
      partner_bits_[other] |= bit_of(fresh);
    }
  }
}

bool RacesBetween::excludes(Condition condition, Slot thread) const {
  const std::vector<Slot>& ended = prefix_.ended_before(condition);
  return std::ranges::find(ended, thread) != ended.end();
}

// What another thread does at conditions that some configuration holds together with this one. A condition
// that none holds has no descendant that one does.
void RacesBetween::look_in(Slot thread, Condition own) {
  const ConditionTrees& slots = prefix_.slots();
  const Slot own_slot = slots.slot(own);
  const std::uint64_t partners = partner_bits_[known_[own].all];
  rest_.assign(1, prefix_.at(prefix_.cone_of(own), thread));
  while (!rest_.empty()) {
    const Condition other = rest_.back();
    rest_.pop_back();
    if (other >= below_.size() || (below_[other] & partners) == 0) continue;
    if (excludes(other, own_slot)) continue;
    const Prefix::Cone past = prefix_.cone_of(other);
    if (!slots.leads_to(prefix_.at(past, own_slot), own)) continue;
    if (!prefix_.joins(prefix_.cone_of(own), past)) continue;
    const bool is_held =
        prefix_.at(prefix_.united(), own_slot) == own && prefix_.at(prefix_.united(), thread) == other;
    if (is_held && has(other) && conflict(own, other) && !prefix_.passes_round(prefix_.united()))
      found(own, other);
    for (Condition child = slots.first_child(other); child != Prefix::kNone;
         child = slots.next_sibling(child))
      rest_.push_back(child);
  }
}

// Where the past of one has the event that led to the other, that event is no part of the race.
bool RacesBetween::conflict(Condition own, Condition other) const {
  const ConditionTrees& slots = prefix_.slots();
  const auto footprint = [&](Condition one, Condition seen_by) {
    const bool is_past = prefix_.at(prefix_.cone_of(seen_by), slots.slot(one)) == one;
    return is_past ? known_[one].behind : known_[one].all;
  };
  return std::ranges::binary_search(partners_[footprint(own, other)], footprint(other, own));
}

void RacesBetween::found(Condition own, Condition other) {
  const auto [least, most] = std::minmax(known_[own].all, known_[other].all);
  const std::uint64_t footprints = std::uint64_t{least} << 32 | most;
  Tries& tries = tries_[footprints];
  if (tries.is_confirmed) return;
  if (++tries.found > kTriesMax) return;
  // A thread may fail behind its last event, and so come last.
  found_.push_back({{own, other}, footprints});
  found_.push_back({{other, own}, footprints});
}

// The same race comes about without the round.
bool RacesBetween::passes_round(const Pair& pair) const {
  return prefix_.passes_round(prefix_.cone_of(pair.first)) ||
         prefix_.passes_round(prefix_.cone_of(pair.second));
}

bool RacesBetween::take(Pair& pair) {
  while (!found_.empty()) {
    const Found last = found_.back();
    found_.pop_back();
    if (tries_[last.footprints].is_confirmed || passes_round(last.pair)) continue;
    taken_ = last.footprints;
    pair = last.pair;
    return true;
  }
  return false;
}

bool RacesBetween::has_given_up() const {
  return is_in_doubt_ || std::ranges::any_of(tries_, [](const auto& one) {
           return one.second.found > kTriesMax && !one.second.is_confirmed;
         });
}

void RacesBetween::confirm() { tries_[taken_].is_confirmed = true; }

}  // namespace thrum
