// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Priorities and their lists. That best-first search runs everything once, and in which order, is tested by
// the oracle.
#include "search/systematic/best_first.hpp"

#include <gtest/gtest.h>

#include <set>

namespace thrum {
namespace {

using Names = std::vector<std::string>;

// Main ran on while threads 1 and 2 could have; then thread 1 does something, and thread 2 ends up standing.
struct Sample {
  Plan plan;
  Trace trace;
  TraceAnalysis analysis;

  explicit Sample(std::uint8_t main_focus = 0, std::uint8_t first_focus = 0, std::uint8_t second_focus = 0) {
    trace.options = {{0, Via::run}, {1, Via::run}, {2, Via::run}, {2, Via::timeout}};
    ChoicePoint& point = trace.choices.emplace_back();
    point.running_enabled = true;
    point.enabled = 3;
    point.options_count = 4;
    point.cost_before = 4;
    Event event;
    event.operation = Operation::store;
    event.object = 16;
    event.focus = main_focus;
    trace.events.push_back(event);
    event.thread = 1;
    event.focus = first_focus;
    trace.events.push_back(event);
    PendingOperation& pending = trace.pending.emplace_back();
    pending.thread = 2;
    pending.operation = Operation::store;
    pending.object = 16;
    pending.focus = second_focus;
    analysis.begin(plan, trace);
  }
  Execution execution(std::uint64_t seed = 0) { return {plan, trace, analysis, seed}; }
};

TEST(Priorities, AreInOneTable) {
  std::set<std::string_view> names;
  for (const PriorityRow& row : priorities()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.help.empty());
    ASSERT_TRUE(PriorityList::make(Names{std::string(row.name)}));
    EXPECT_EQ(PriorityList::make(Names{std::string(row.name)})->needs_events(), row.needs_events);
    Sample sample;
    for (std::uint16_t option = 1; option < 4; ++option)
      EXPECT_LT(row.level(sample.execution(), 0, option), 1u << row.bits) << row.name;
  }
  EXPECT_FALSE(PriorityList::make(Names{"pb", "luck"}));
  EXPECT_FALSE(PriorityList::make(Names{"pb", "rand", "pb"}));
  EXPECT_FALSE(PriorityList::make(Names{""}));
}

TEST(Priorities, WhatNeedsNoEventsIsCheap) {
  auto recording = [](const Names& names) {
    BestFirst::Settings settings;
    settings.priorities = *PriorityList::make(names);
    return BestFirst(settings).wanted();
  };
  EXPECT_EQ(recording({"pb", "rand"}), Wanted::new_choices());
  EXPECT_EQ(recording({"pb", "ss"}), Wanted::all_events());
}

TEST(Priorities, PreemptionsCountWithWhatCameBefore) {
  Sample sample;
  EXPECT_EQ(pb_priority(sample.execution(), 0, 1), 5u);
  EXPECT_EQ(pb_priority(sample.execution(), 0, 3), 6u) << "a timeout, and a switch";
}

TEST(Priorities, DeparturesCountWhateverTheyCost) {
  Sample sample;
  EXPECT_EQ(db_priority(sample.execution(), 0, 1), 0u);
  sample.plan.departures.resize(3);
  EXPECT_EQ(db_priority(sample.execution(), 0, 1), 3u);
  EXPECT_EQ(db_priority(sample.execution(), 0, 3), 3u);
}

TEST(Priorities, TheReductionsTellConflictsFromTheRest) {
  Sample sample;
  // Thread 1 writes what main wrote; so does thread 2, but it was not asked what its timeout does.
  EXPECT_EQ(dpor_priority(sample.execution(), 0, 1), 0u);
  EXPECT_EQ(mdpor_priority(sample.execution(), 0, 1), 0u);
  EXPECT_EQ(mdpor_priority(sample.execution(), 0, 3), 1u);
  sample.trace.events[1].object = sample.trace.pending[0].object = 999;
  sample.analysis.begin(sample.plan, sample.trace);
  EXPECT_EQ(dpor_priority(sample.execution(), 0, 1), 1u);
  EXPECT_EQ(mdpor_priority(sample.execution(), 0, 1), 2u);
}

TEST(Priorities, FocusHasThreeLevels) {
  Sample both(kFocusMethod, kFocusMethod, 0);
  EXPECT_EQ(method_priority(both.execution(), 0, 1), 0u);
  EXPECT_EQ(method_priority(both.execution(), 0, 2), 1u) << "only what is preempted";
  EXPECT_EQ(var_priority(both.execution(), 0, 1), 2u) << "variables are another matter";
  Sample one(0, 0, kFocusVariable);
  EXPECT_EQ(var_priority(one.execution(), 0, 1), 2u);
  EXPECT_EQ(var_priority(one.execution(), 0, 2), 1u) << "only what preempts; it stood there at the end";
}

TEST(Priorities, RandomOnesAreTheSeeds) {
  Sample sample;
  std::set<Level> levels;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Level level = rand_priority(sample.execution(seed), 0, 1);
    EXPECT_EQ(level, rand_priority(sample.execution(seed), 0, 1));
    levels.insert(level);
  }
  EXPECT_GT(levels.size(), 190u);
  EXPECT_LT(*levels.begin(), 0x10000u / 20);
  EXPECT_GT(*levels.rbegin(), 0x10000u / 20 * 19);
  // A departure before makes it another one.
  Level alone = rand_priority(sample.execution(1), 0, 1);
  sample.plan.departures.push_back({});
  EXPECT_NE(alone, rand_priority(sample.execution(1), 0, 1));
}

TEST(Priorities, TheFirstInTheListDecides) {
  Sample sample;
  auto key = [&](const Names& names, std::uint16_t option) {
    return PriorityList::make(names)->key(sample.execution(), 0, option);
  };
  EXPECT_EQ(key({}, 1), key({}, 3));
  EXPECT_LT(key({"mdpor", "rand"}, 1), key({"mdpor", "rand"}, 3));
  EXPECT_EQ(key({"mdpor", "pb"}, 1), 5u);
  EXPECT_EQ(key({"mdpor", "pb"}, 3), (1u << 16) + 6);
  EXPECT_EQ(key({"pb", "mdpor"}, 3), (6u << 2) + 1);
}

}  // namespace
}  // namespace thrum
