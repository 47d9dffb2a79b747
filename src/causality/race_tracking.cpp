// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/race_tracking.hpp"

#include <algorithm>

namespace thrum {

RaceTracking::RaceTracking(const ThreadTrees& trees, const TreeMachine& machine,
                           const RaceCandidates& candidates)
    : trees_(trees),
      machine_(machine),
      candidates_(candidates),
      first_word_(machine.words()),
      knowers_(trees, machine, first_word_ + 1) {
  for (const RaceCandidates::Pair& pair : candidates.races()) {
    for (const Node node : {pair.first, pair.second}) {
      if (!kinds_.contains(node)) kinds_.emplace(node, Kinds{kind_of(node, false), kind_of(node, true)});
    }
  }
  note_frees();
}

RaceTracking::Kind RaceTracking::kind_of(Node node, bool is_update) {
  RaceCandidates::Access access = candidates_.access(node);
  access.is_free = false;
  access.writes = access.writes || is_update;
  const auto [known, is_new] = numbers_.try_emplace(access, static_cast<Kind>(accesses_.size()));
  if (is_new) accesses_.push_back(access);
  return known->second;
}

void RaceTracking::note_frees() {
  for (const auto& [free, access, condition] : candidates_.uses_of_freed()) {
    const auto [known, is_new] = frees_.try_emplace(free, static_cast<std::uint32_t>(tracked_.size()));
    if (is_new) {
      Tracked& own = tracked_.emplace_back();
      own.free = free;
      own.partners.resize(trees_.size());
      own.leads.resize(trees_.size());
    }
    tracked_[known->second].partners[access] = true;
    note_lead(tracked_[known->second], access);
  }
}

void RaceTracking::note_lead(Tracked& tracked, Node node) const {
  for (Node up = trees_[node].parent; up != ThreadTrees::kNone && !tracked.leads[up]; up = trees_[up].parent)
    tracked.leads[up] = true;
}

bool RaceTracking::conflict(Kind a, Kind b) const {
  const RaceCandidates::Access& one = accesses_[a];
  const RaceCandidates::Access& other = accesses_[b];
  if (one.object + one.size <= other.object || other.object + other.size <= one.object) return false;
  if ((one.is_atomic && other.is_atomic) || (one.in_section && other.in_section)) return false;
  return one.writes || other.writes;
}

// ---- What is tracked together.

// Others may learn of what comes before it, and not of what comes behind it. So they may of an access in an
// atomic section, by the next one.
bool RaceTracking::stands_alone(Node node) const {
  const ThreadTrees::Kind kind = trees_[node].kind;
  if (kind == ThreadTrees::Kind::event) return true;
  const bool is_access = kind == ThreadTrees::Kind::read || kind == ThreadTrees::Kind::write;
  return is_access && (trees_.access(node).is_atomic || trees_.access(node).in_section);
}

std::size_t RaceTracking::end_of_group(Path path, std::size_t begin) const {
  if (stands_alone(path[begin])) return begin + 1;
  std::size_t end = begin + 1;
  while (end < path.size() && trees_[path[end]].thread == trees_[path[begin]].thread &&
         !stands_alone(path[end]))
    ++end;
  return end;
}

// A read stands before its outcome.
RaceTracking::Kind RaceTracking::kind_at(Path path, std::size_t place) const {
  const auto known = kinds_.find(path[place]);
  if (known == kinds_.end()) return 0;
  if (trees_[path[place]].kind != ThreadTrees::Kind::read) return known->second.own;
  const bool leaves = place + 1 < path.size() && trees_.leaves_value(path[place + 1]);
  const bool is_update = trees_.access(path[place]).is_update || leaves;
  return is_update ? known->second.as_update : known->second.own;
}

// 0: nothing there could race.
std::uint32_t RaceTracking::group_at(Path path, std::size_t begin, std::size_t end) {
  const bool is_read = end == begin + 1 && trees_[path[begin]].kind == ThreadTrees::Kind::read;
  const Node last = is_read && end < path.size() ? path[end] : path[end - 1];
  const auto [known, is_new] = groups_.try_emplace(std::uint64_t{path[begin]} << 32 | last, 0);
  if (!is_new) return known->second;
  std::vector<Kind> kinds;
  for (std::size_t place = begin; place < end; ++place) {
    if (const Kind kind = kind_at(path, place); kind != 0) kinds.push_back(kind);
  }
  return known->second = kinds.empty() ? 0 : number_of(std::move(kinds));
}

std::uint32_t RaceTracking::number_of(std::vector<Kind> kinds) {
  std::ranges::sort(kinds);
  const auto repeated = std::ranges::unique(kinds);
  kinds.erase(repeated.begin(), repeated.end());
  const auto [known, is_new] =
      tracked_numbers_.try_emplace(kinds, static_cast<std::uint32_t>(tracked_.size()));
  if (!is_new) return known->second;
  Tracked& own = tracked_.emplace_back();
  own.partners.resize(accesses_.size());
  for (Kind kind = 1; kind < accesses_.size(); ++kind) {
    own.partners[kind] = std::ranges::any_of(kinds, [&](Kind one) { return conflict(one, kind); });
  }
  own.kinds = std::move(kinds);
  own.leads.resize(trees_.size());
  for (const auto& [node, of_node] : kinds_) {
    if (own.partners[of_node.own] || own.partners[of_node.as_update]) note_lead(own, node);
  }
  return known->second;
}

void RaceTracking::add_begins(Path path, std::vector<Begin>& begins) {
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = end_of_group(path, begin);
    const auto at = static_cast<std::uint32_t>(begin);
    if (const std::uint32_t group = group_at(path, begin, end); group != 0)
      begins.push_back({at, group, path[begin], path[end - 1]});
    for (std::size_t place = begin; place < end && !frees_.empty(); ++place) {
      if (const auto free = frees_.find(path[place]); free != frees_.end())
        begins.push_back({at, free->second, free->first, free->first});
    }
    begin = end;
  }
}

// ---- Along a path.

RaceTracking::Went RaceTracking::go(State& state, Path path, const Begin& begin) {
  std::size_t place = 0;
  if (begin.at != kNowhere) {
    state[first_word_] = begin.tracked;
    place = end_of_group(path, begin.at);
    if (!is_use_of_freed(begin)) {
      knowers_.begin(state, trees_[path[begin.at]].thread);
      for (const Node node : path.subspan(begin.at, place - begin.at)) knowers_.perform(state, node);
    }
  }
  while (place < path.size()) {
    const std::size_t end = end_of_group(path, place);
    const bool knew = knowers_.knows(state, trees_[path[place]].thread);
    const std::uint32_t group = group_at(path, place, end);
    for (; place < end; ++place) {
      if (judge(state, path, place)) return Went::to_race;
    }
    if (knew && group != 0 && std::ranges::includes(tracked_[group].kinds, tracked(state).kinds))
      return Went::no_race_is_left;
  }
  return can_race(state) ? Went::on : Went::no_race_is_left;
}

// What the thread reads it learns first; of what it does to an object, it learns later.
bool RaceTracking::judge(State& state, Path path, std::size_t place) {
  const Node node = path[place];
  const Tracked& own = tracked(state);
  bool is_race = false;
  if (own.free != ThreadTrees::kNone) {
    is_race = own.partners[node];
  } else {
    if (trees_[node].kind == ThreadTrees::Kind::read && place + 1 < path.size())
      knowers_.read(state, node, path[place + 1]);
    const Kind kind = kind_at(path, place);
    is_race = kind != 0 && own.partners[kind] && !knowers_.knows(state, trees_[node].thread);
    knowers_.perform(state, node);
  }
  if (is_race) second_ = node;
  return is_race;
}

bool RaceTracking::can_race(const State& state) const {
  const Tracked& own = tracked(state);
  for (ThreadId thread = 0; thread < machine_.threads(); ++thread) {
    const Node at = machine_.at(state, thread);
    if (at != ThreadTrees::kNone && own.leads[at] && !knowers_.knows(state, thread)) return true;
  }
  return false;
}

std::optional<RaceCandidates::Pair> RaceTracking::pair_from(const Begin& begin) const {
  if (is_use_of_freed(begin)) return RaceCandidates::Pair{begin.first, second_, second_};
  for (Node first = begin.last;; first = trees_[first].parent) {
    const RaceCandidates::Pair least{std::min(first, second_), std::max(first, second_), 0};
    const auto found = std::ranges::lower_bound(candidates_.races(), least);
    const bool is_known =
        found != candidates_.races().end() && found->first == least.first && found->second == least.second;
    if (is_known) return RaceCandidates::Pair{first, second_, found->condition};
    if (first == begin.first) return std::nullopt;
  }
}

}  // namespace thrum
