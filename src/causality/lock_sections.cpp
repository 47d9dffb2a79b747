// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/lock_sections.hpp"

namespace thrum {

// Whether the other kind cannot begin while that one is open.
bool LockSections::keeps_out(Kind open, Kind other) {
  switch (open) {
    case Kind::exclusive: return other == Kind::shared;
    case Kind::shared: return other == Kind::exclusive;
    case Kind::queued: return other == Kind::shared;
  }
  return false;
}

void LockSections::begin(std::uint64_t object, Kind kind, Node node) {
  Object& there = objects_[object];
  const std::size_t own = there.sections.size();
  there.sections.push_back({kind, node});
  there.begins.emplace(node, own);
  for (std::size_t other = 0; other < own; ++other) separate(there, own, other);
  for (const Observer& observer : there.observers) observe(there.sections[own], observer);
}

void LockSections::end(std::uint64_t object, Kind kind, Node node) {
  Object& there = objects_[object];
  for (Node up = nodes_.trees()[node].parent; up != ThreadTrees::kNone; up = nodes_.trees()[up].parent) {
    if (nodes_.trees()[up].kind == ThreadTrees::Kind::start) return;
    const auto begin = there.begins.find(up);
    if (begin == there.begins.end()) continue;
    Section& section = there.sections[begin->second];
    if (section.kind != kind) continue;
    bool was_ended = false;
    for (const Node end : section.ends) was_ended = was_ended || nodes_.trees().is_before(end, node);
    if (was_ended) continue;
    section.ends.push_back(node);
    for (const Pair& pair : section.pairs) offer_end(there, pair, node);
    for (const Observation& observation : section.observations) say_closed(observation, node);
    return;
  }
}

// If both are executed, one ends before the other begins, where it keeps that one out.
void LockSections::separate(Object& object, std::size_t a, std::size_t b) {
  Section& one = object.sections[a];
  Section& other = object.sections[b];
  const bool first = keeps_out(one.kind, other.kind);
  const bool second = keeps_out(other.kind, one.kind);
  if (!first && !second) return;
  if (nodes_.trees().relation(one.begin, other.begin) == Relation::exclusive) return;
  const Literal both = nodes_.solver().make_literal();
  nodes_.add({-nodes_.executed(one.begin), -nodes_.executed(other.begin), both});
  const Need need = nodes_.add_need(both);
  if (first) one.pairs.push_back({b, need});
  if (second) other.pairs.push_back({a, need});
  if (!first) nodes_.offer(need, nodes_.precedes(one.begin, other.begin));
  if (!second) nodes_.offer(need, nodes_.precedes(other.begin, one.begin));
  for (const Node end : one.ends) {
    if (first) offer_end(object, one.pairs.back(), end);
  }
  for (const Node end : other.ends) {
    if (second) offer_end(object, other.pairs.back(), end);
  }
}

void LockSections::offer_end(const Object& object, const Pair& pair, Node end) {
  const Node behind = object.sections[pair.other].begin;
  const Literal precedes = nodes_.precedes(end, behind);
  if (precedes == -nodes_.truth()) return;
  const Literal ends = nodes_.solver().make_literal();
  nodes_.add({-ends, nodes_.executed(end)});
  nodes_.add({-ends, precedes});
  nodes_.offer(pair.need, ends);
}

void LockSections::offer_open(std::uint64_t object, Kind kept_out, Node at, Need need) {
  Object& there = objects_[object];
  there.observers.push_back({kept_out, at, need});
  for (Section& section : there.sections) observe(section, there.observers.back());
}

void LockSections::observe(Section& section, const Observer& observer) {
  if (!keeps_out(section.kind, observer.kept_out)) return;
  Literal comes_before = nodes_.truth();
  if (observer.at != ThreadTrees::kNone) {
    comes_before = nodes_.precedes(section.begin, observer.at);
    if (comes_before == -nodes_.truth()) return;
  }
  const Observation own{observer.at, nodes_.solver().make_literal()};
  nodes_.add({-own.is_open, nodes_.executed(section.begin)});
  nodes_.add({-own.is_open, comes_before});
  section.observations.push_back(own);
  for (const Node end : section.ends) say_closed(own, end);
  nodes_.offer(observer.need, own.is_open);
}

void LockSections::say_closed(const Observation& observation, Node end) {
  const Literal is_later =
      observation.at == ThreadTrees::kNone ? -nodes_.truth() : nodes_.precedes(observation.at, end);
  nodes_.add({-observation.is_open, -nodes_.executed(end), is_later});
}

}  // namespace thrum
