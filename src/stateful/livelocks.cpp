// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stateful/livelocks.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "support/hash.hpp"

namespace thrum {

namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};
constexpr std::size_t kTurnsMax = std::size_t{1} << 17;

struct HashOfKey {
  std::size_t operator()(const StateKey& key) const { return key.low; }
};

bool stands_at_choice_among_threads(const StateProgram& program) {
  return !program.is_over() && program.point().key.kind == ChoiceKind::thread;
}

std::uint32_t rank_of(Option option) {
  return std::uint32_t{option.value} << 8 | static_cast<std::uint32_t>(option.via);
}

// The one behind the last one, in a circle. Waits end for no reason only if nothing else is left.
Option next_in_turn(std::span<const Option> options, std::uint32_t last) {
  const auto key = [&](Option option) {
    const std::uint32_t rank = rank_of(option);
    return std::tuple(option.via == Via::spurious, rank <= last, rank);
  };
  return *std::ranges::min_element(options, {}, key);
}

}  // namespace

Lockstep take_turns(StateProgram& program) {
  Lockstep result;
  result.failure = program.livelock();
  std::unordered_map<StateKey, std::size_t, HashOfKey> seen;  // with the thread that ran last
  std::uint32_t last = kNone;
  while (!program.is_over() && result.schedule.size() < kTurnsMax) {
    Option option = program.options().front();
    if (stands_at_choice_among_threads(program)) {
      const StateKey key = program.key();
      const StateKey turn{mixed(key.low, last), mixed(key.high, last)};
      const auto [before, is_new] = seen.try_emplace(turn, result.schedule.size());
      if (!is_new) {
        result.round = before->second;
        result.failure = program.livelock();
        return result;
      }
      option = next_in_turn(program.options(), last);
      last = rank_of(option);
    }
    result.schedule.push_back(option);
    program.step(option);
  }
  result.schedule.clear();
  return result;
}

std::optional<Lockstep> LockstepSearch::run() {
  const StateProgram::Mark begin = program_.mark();
  collect();
  if (gave_up_) return std::nullopt;
  Nodes all(out_.size());
  for (std::uint32_t node = 0; node < all.size(); ++node) all[node] = node;
  const std::optional<Nodes> part = fair_part(std::move(all));
  if (!part) return std::nullopt;
  Lockstep found = cycle_through(*part);
  program_.undo(begin);
  for (std::size_t i = 0; i < found.round; ++i) program_.step(found.schedule[i]);
  found.failure = program_.livelock();
  return found;
}

// All states and steps of the component, depth first.
void LockstepSearch::collect() {
  struct Level {
    StateProgram::Mark mark = 0;
    std::uint32_t node = 0;
    std::vector<Option> way{};  // from the node to here: where a step makes choices
    StateStep traits{};
    std::vector<Option> options{};
    std::size_t taken = 0;
  };
  std::unordered_map<StateKey, std::uint32_t, HashOfKey> nodes;
  std::vector<Level> levels;
  const auto push = [&](std::uint32_t node, std::vector<Option> way, StateStep traits) {
    const std::span<const Option> options = program_.options();
    levels.push_back({program_.mark(), node, std::move(way), traits, {options.begin(), options.end()}});
  };
  const auto arrive = [&](const StateKey& key) {
    const auto [known, is_new] = nodes.try_emplace(key, static_cast<std::uint32_t>(nodes.size()));
    if (!is_new) return known->second;
    out_.emplace_back();
    std::set<ThreadId> enabled;
    for (const Option option : program_.options()) {
      if (option.via != Via::spurious) enabled.insert(option.value);
    }
    enabled_.emplace_back(enabled.begin(), enabled.end());
    push(known->second, {}, {});
    return known->second;
  };
  arrive(program_.key());
  while (!levels.empty()) {
    Level& level = levels.back();
    if (level.taken == level.options.size()) {
      levels.pop_back();
      continue;
    }
    const Option option = level.options[level.taken++];
    program_.undo(level.mark);
    program_.step(option);
    if (program_.is_over()) continue;
    std::vector<Option> way = level.way;
    way.push_back(option);
    StateStep traits = level.traits;
    traits.add(program_.traits());
    const std::uint32_t from = level.node;
    if (!stands_at_choice_among_threads(program_)) {
      push(from, std::move(way), traits);
      continue;
    }
    const StateKey key = program_.key();
    if (!is_member_(key)) continue;
    Edge edge{from, 0, way.front().value, traits, static_cast<std::uint32_t>(options_.size()), 0};
    options_.insert(options_.end(), way.begin(), way.end());
    edge.options_end = static_cast<std::uint32_t>(options_.size());
    edge.to = arrive(key);
    out_[from].push_back(static_cast<std::uint32_t>(edges_.size()));
    edges_.push_back(edge);
    if (edges_.size() > kEdgesMax) {
      gave_up_ = true;
      return;
    }
  }
}

// A strongly connected part in which each thread that could run yields. What hinders a thread from that is
// taken away, until a part remains or nothing does (Emerson and Lei, "Modalities for model checking", 1987).
std::optional<LockstepSearch::Nodes> LockstepSearch::fair_part(Nodes nodes) {
  std::vector<Nodes> ahead;
  ahead.push_back(std::move(nodes));
  while (!ahead.empty()) {
    const Nodes within = std::move(ahead.back());
    ahead.pop_back();
    for (const Nodes& part : components(within)) {
      std::vector<bool> is_in(out_.size());
      for (const std::uint32_t node : part) is_in[node] = true;
      std::set<ThreadId> yielding;
      for (const std::uint32_t node : part) {
        for (const std::uint32_t edge : out_[node]) {
          const Edge& one = edges_[edge];
          if (is_in[one.to] && may_repeat(one) && one.traits.yields) yielding.insert(one.thread);
        }
      }
      Nodes rest;
      for (const std::uint32_t node : part) {
        const auto yields = [&](ThreadId thread) { return yielding.contains(thread); };
        if (std::ranges::all_of(enabled_[node], yields)) rest.push_back(node);
      }
      if (rest.size() == part.size()) return rest;
      if (!rest.empty()) ahead.push_back(std::move(rest));
    }
  }
  return std::nullopt;
}

// The strongly connected components that have a step, by steps that may repeat (Tarjan, 1972).
std::vector<LockstepSearch::Nodes> LockstepSearch::components(const Nodes& nodes) const {
  struct Visit {
    std::uint32_t node;
    std::size_t next = 0;  // of its edges
  };
  std::vector<bool> is_in(out_.size()), is_open(out_.size());
  for (const std::uint32_t node : nodes) is_in[node] = true;
  std::vector<std::uint32_t> number(out_.size(), kNone), low(out_.size());
  std::uint32_t count = 0;
  Nodes open;
  std::vector<Nodes> found;
  std::vector<Visit> visits;
  const auto begin = [&](std::uint32_t node) {
    number[node] = low[node] = count++;
    is_open[node] = true;
    open.push_back(node);
    visits.push_back({node});
  };
  const auto has_step = [&](const Nodes& part) {
    return part.size() > 1 || std::ranges::any_of(out_[part[0]], [&](std::uint32_t edge) {
             return edges_[edge].to == part[0] && may_repeat(edges_[edge]);
           });
  };
  for (const std::uint32_t root : nodes) {
    if (number[root] == kNone) begin(root);
    while (!visits.empty()) {
      const std::uint32_t node = visits.back().node;
      if (visits.back().next < out_[node].size()) {
        const Edge& edge = edges_[out_[node][visits.back().next++]];
        if (!is_in[edge.to] || !may_repeat(edge)) continue;
        if (number[edge.to] == kNone)
          begin(edge.to);
        else if (is_open[edge.to])
          low[node] = std::min(low[node], number[edge.to]);
        continue;
      }
      visits.pop_back();
      if (!visits.empty()) low[visits.back().node] = std::min(low[visits.back().node], low[node]);
      if (low[node] != number[node]) continue;
      const auto first = std::ranges::find(open, node);
      Nodes part(first, open.end());
      open.erase(first, open.end());
      for (const std::uint32_t one : part) is_open[one] = false;
      if (has_step(part)) found.push_back(std::move(part));
    }
  }
  return found;
}

// The edges of a shortest way whose last one is as wanted; within: only states of it, by steps that may
// repeat.
std::vector<std::uint32_t> LockstepSearch::way(std::uint32_t from,
                                               const std::function<bool(const Edge&)>& is_last,
                                               const std::vector<bool>* within) const {
  std::vector<std::uint32_t> by(out_.size(), kNone);  // the edge that leads there
  std::deque<std::uint32_t> ahead = {from};
  std::vector<bool> seen(out_.size());
  seen[from] = true;
  while (!ahead.empty()) {
    const std::uint32_t node = ahead.front();
    ahead.pop_front();
    for (const std::uint32_t number : out_[node]) {
      const Edge& edge = edges_[number];
      if (within != nullptr && (!(*within)[edge.to] || !may_repeat(edge))) continue;
      if (is_last(edge)) {
        std::vector<std::uint32_t> edges = {number};
        for (std::uint32_t at = node; at != from; at = edges_[by[at]].from) edges.push_back(by[at]);
        std::ranges::reverse(edges);
        return edges;
      }
      if (seen[edge.to]) continue;
      seen[edge.to] = true;
      by[edge.to] = number;
      ahead.push_back(edge.to);
    }
  }
  return {};
}

// From the first node to the part, and there round so that each thread that can run yields.
Lockstep LockstepSearch::cycle_through(const Nodes& part) {
  Lockstep result;
  const std::uint32_t begin = part.front();
  std::uint32_t at = 0;
  const auto go = [&](const std::function<bool(const Edge&)>& is_last, const std::vector<bool>* within) {
    for (const std::uint32_t number : way(at, is_last, within)) {
      const Edge& edge = edges_[number];
      result.schedule.insert(result.schedule.end(), options_.begin() + edge.options_begin,
                             options_.begin() + edge.options_end);
      at = edge.to;
    }
  };
  const auto leads_to_begin = [&](const Edge& edge) { return edge.to == begin; };
  if (begin != 0) go(leads_to_begin, nullptr);
  result.round = result.schedule.size();
  std::vector<bool> within(out_.size());
  std::set<ThreadId> threads;
  for (const std::uint32_t node : part) {
    within[node] = true;
    threads.insert(enabled_[node].begin(), enabled_[node].end());
  }
  for (const ThreadId thread : threads)
    go([&](const Edge& edge) { return edge.thread == thread && edge.traits.yields; }, &within);
  if (at != begin) go(leads_to_begin, &within);
  return result;
}

}  // namespace thrum
