// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Livelocks among the states of random graphs: found if and only if plain enumeration of sets of states finds
// one; and the schedule of each goes round for ever, as a livelock has to.
#include "stateful/livelocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "stateful/state_search.hpp"
#include "support/hash.hpp"

namespace thrum {
namespace {

constexpr std::uint32_t kEnd = ~std::uint32_t{0};

struct Arc {
  Option option;
  std::uint32_t to = 0;
  StateStep traits;
};

// A program as a graph of its states, which begins in state 0. Some steps make a choice on their way.
struct Graph {
  std::vector<std::vector<Arc>> states;
  std::set<std::uint32_t> choices;  // states that are choices inside a step

  std::string print() const;
};

std::string Graph::print() const {
  std::string text;
  for (std::uint32_t state = 0; state < states.size(); ++state) {
    text += std::to_string(state) + (choices.contains(state) ? " (a choice):" : ":");
    for (const Arc& arc : states[state]) {
      text +=
          " " + std::to_string(arc.option.value) + "->" + (arc.to == kEnd ? "end" : std::to_string(arc.to));
      text += std::string(arc.traits.comes_further ? " further" : "") + (arc.traits.yields ? " yields" : "") +
              (arc.traits.is_hidden ? " hidden" : "") + ";";
    }
    text += "\n";
  }
  return text;
}

class GraphStates final : public StateProgram {
 public:
  explicit GraphStates(const Graph& graph) : graph_(graph) {}

  void reset() override {
    marks_.clear();
    go_to(0);
  }
  bool is_over() const override { return state_ == kEnd; }
  End end() const override { return End::finished; }
  const Failure& failure() const override { return failure_; }
  const ChoicePoint& point() const override { return point_; }
  std::span<const Option> options() const override { return options_; }
  void step(Option option) override {
    const auto& arcs = graph_.states[state_];
    const auto taken = std::ranges::find(arcs, option, &Arc::option);
    ASSERT_NE(taken, arcs.end());
    traits_ = taken->traits;
    go_to(taken->to);
  }
  StateStep traits() const override { return traits_; }
  Mark mark() override {
    marks_.push_back(state_);
    return marks_.size() - 1;
  }
  void undo(Mark mark) override {
    marks_.resize(mark + 1);
    go_to(marks_[mark]);
  }
  StateKey key() override { return {mixed(state_, 1), mixed(state_, 2)}; }
  std::vector<Failure> races() override { return {}; }
  Failure livelock() const override {
    Failure failure{BugKind::livelock, "round", kMainThread, state_, {}};
    return failure;
  }
  std::uint32_t state() const { return state_; }

 private:
  void go_to(std::uint32_t state) {
    state_ = state;
    options_.clear();
    if (state == kEnd) return;
    for (const Arc& arc : graph_.states[state]) options_.push_back(arc.option);
    point_ = {};
    point_.key.kind = graph_.choices.contains(state) ? ChoiceKind::value : ChoiceKind::thread;
    point_.enabled = static_cast<std::uint16_t>(options_.size());
  }

  const Graph& graph_;
  std::uint32_t state_ = 0;
  std::vector<std::uint32_t> marks_;
  StateStep traits_;
  ChoicePoint point_;
  std::vector<Option> options_;
  Failure failure_;
};

// A choice has one predecessor, and choices may follow each other, but end in states.
Graph random_graph(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t bound) { return static_cast<std::uint32_t>(random() % bound); };
  Graph graph;
  const std::uint32_t states = 1 + below(6), threads = 1 + below(3);
  const std::uint32_t further = below(8), yields = below(10), ends = below(3);
  graph.states.resize(states);
  const auto some_state = [&] { return below(20) < ends ? kEnd : below(states); };
  for (std::uint32_t state = 0; state < states; ++state) {
    for (std::uint16_t thread = 0; thread < threads; ++thread) {
      if (below(3) == 0 && !(thread + 1U == threads && graph.states[state].empty())) continue;
      Arc arc{{thread, Via::run}, some_state(), {}};
      arc.traits.comes_further = below(10) < further / 2;
      arc.traits.yields = below(10) < yields;
      arc.traits.is_hidden = below(10) == 0;
      if (below(10) == 0) {
        arc.to = static_cast<std::uint32_t>(graph.states.size());
        graph.choices.insert(arc.to);
        graph.states.push_back(
            {{{0, Via::run}, some_state(), arc.traits}, {{1, Via::run}, some_state(), {}}});
      }
      graph.states[state].push_back(arc);
    }
  }
  return graph;
}

// Which states can be reached from one, by steps that satisfy a condition.
template <typename Condition>
std::uint64_t reached_from(const Graph& graph, std::uint32_t begin, Condition counts) {
  std::uint64_t seen = 0;  // but for the first one, unless steps lead back
  std::vector<std::uint32_t> ahead = {begin};
  while (!ahead.empty()) {
    const std::uint32_t state = ahead.back();
    ahead.pop_back();
    for (const Arc& arc : graph.states[state]) {
      if (arc.to == kEnd || !counts(state, arc) || (seen >> arc.to & 1) != 0) continue;
      seen |= std::uint64_t{1} << arc.to;
      ahead.push_back(arc.to);
    }
  }
  return seen;
}

// Whether the states of the set lead to each other within it, and some thread could go round there for ever.
bool is_fair_cycle(const Graph& graph, std::uint64_t set) {
  const auto counts = [&](std::uint32_t, const Arc& arc) {
    return (set >> arc.to & 1) != 0 && !arc.traits.comes_further && !arc.traits.is_hidden;
  };
  std::set<ThreadId> enabled, yielding;
  for (std::uint32_t state = 0; state < graph.states.size(); ++state) {
    if ((set >> state & 1) == 0) continue;
    if (graph.choices.contains(state) || (reached_from(graph, state, counts) & set) != set) return false;
    for (const Arc& arc : graph.states[state]) {
      enabled.insert(arc.option.value);
      if (arc.to != kEnd && counts(state, arc) && arc.traits.yields) yielding.insert(arc.option.value);
    }
  }
  return enabled == yielding;
}

// Where nothing leads out of what can be reached from a state, all leads back to it, and nobody comes
// further.
bool is_stuck(const Graph& graph, std::uint32_t begin) {
  const auto all = [](std::uint32_t, const Arc&) { return true; };
  const std::uint64_t reached = reached_from(graph, begin, all);
  if ((reached >> begin & 1) == 0) return false;
  for (std::uint32_t state = 0; state < graph.states.size(); ++state) {
    if ((reached >> state & 1) == 0) continue;
    if ((reached_from(graph, state, all) >> begin & 1) == 0) return false;
    for (const Arc& arc : graph.states[state]) {
      if (arc.to == kEnd || arc.traits.comes_further) return false;
    }
  }
  return true;
}

bool has_livelock(const Graph& graph) {
  const std::uint64_t reached =
      reached_from(graph, 0, [](std::uint32_t, const Arc&) { return true; }) | std::uint64_t{1};
  for (std::uint32_t state = 0; state < graph.states.size(); ++state) {
    if ((reached >> state & 1) != 0 && is_stuck(graph, state)) return true;
  }
  for (std::uint64_t set = reached; set != 0; set = (set - 1) & reached) {
    if (is_fair_cycle(graph, set)) return true;
  }
  return false;
}

// The round of a livelock leads back to where it begins, and is no way by which threads come further.
std::string check(const Graph& graph, const StateBug& bug) {
  if (!bug.round || *bug.round >= bug.schedule.size()) return "has no round";
  GraphStates program(graph);
  program.reset();
  std::uint32_t begin = 0;
  std::set<ThreadId> enabled, yielding;
  for (std::size_t i = 0; i < bug.schedule.size(); ++i) {
    if (i == *bug.round) begin = program.state();
    if (i >= *bug.round && program.point().key.kind == ChoiceKind::thread) {
      for (const Option option : program.options()) enabled.insert(option.value);
    }
    const bool is_of_thread = program.point().key.kind == ChoiceKind::thread;
    program.step(bug.schedule[i]);
    if (i < *bug.round) continue;
    if (program.is_over() || program.traits().comes_further) return "its round comes further";
    if (is_of_thread && program.traits().yields) yielding.insert(bug.schedule[i].value);
  }
  if (program.state() != begin) return "its round does not lead back";
  if (enabled != yielding && !is_stuck(graph, begin)) return "its round is not fair";
  return "";
}

TEST(Livelocks, AreFoundAsByEnumeration) {
  std::uint64_t with = 0;
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
    const Graph graph = random_graph(seed);
    GraphStates program(graph);
    const StateFindings findings = StateSearch(program, {}).run();
    const bool has = has_livelock(graph);
    with += has ? 1 : 0;
    ASSERT_TRUE(findings.sought_livelocks);
    ASSERT_EQ(!findings.bugs.empty(), has) << "seed " << seed << "\n" << graph.print();
    for (const StateBug& bug : findings.bugs)
      ASSERT_EQ(check(graph, bug), "") << "seed " << seed << "\n" << graph.print();
  }
  EXPECT_GT(with, 2'000u);
  EXPECT_LT(with, 18'000u);
}

TEST(Livelocks, BoundedSearchesDoNotClaimThem) {
  const Graph graph = {{{{{0, Via::run}, 0, {}}}}, {}};
  GraphStates program(graph);
  EXPECT_EQ(StateSearch(program, {}).run().bugs.size(), 1u);
  for (const StatefulSettings& settings :
       {StatefulSettings{.order = StatefulSettings::Order::bfs}, StatefulSettings{.depth = 10},
        StatefulSettings{.preemptions = 1}, StatefulSettings{.order = StatefulSettings::Order::icb}}) {
    const StateFindings findings = StateSearch(program, settings).run();
    EXPECT_TRUE(findings.bugs.empty());
    EXPECT_FALSE(findings.sought_livelocks);
  }
}

}  // namespace
}  // namespace thrum
