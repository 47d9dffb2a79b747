// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/frontier/fringe.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "search/frontier/memory_file.hpp"
#include "support/random.hpp"

namespace thrum {
namespace {

constexpr std::uint64_t kUnlimited = 1 << 30;

Departure departure(Random& random) {
  return {{static_cast<ThreadId>(random.below(300)), static_cast<ChoiceKind>(random.below(3)),
           static_cast<std::uint32_t>(random.below(random.below(2) == 0 ? 100 : 1'000'000))},
          {static_cast<std::uint16_t>(random.below(500)), static_cast<Via>(random.below(6))}};
}

struct ModelPlan {
  std::vector<Departure> departures;
  std::uint32_t cost = 0;
  bool again = false;

  friend bool operator==(const ModelPlan&, const ModelPlan&) = default;
};
using Model = std::map<Fringe::Key, std::vector<ModelPlan>>;

std::size_t count(const Model& model) {
  std::size_t plans = 0;
  for (const auto& [key, bucket] : model) plans += bucket.size();
  return plans;
}

// Pops from both, and leaves the plan taken.
::testing::AssertionResult pop_same(Fringe& fringe, Model& model, Fringe::Waiting& taken, ModelPlan& plan) {
  auto least = std::find_if(model.begin(), model.end(), [](const auto& one) { return !one.second.empty(); });
  if (fringe.pop(taken) != (least != model.end()))
    return ::testing::AssertionFailure() << "one of the two is empty: " << fringe.problem();
  if (least == model.end()) return ::testing::AssertionSuccess();
  plan = least->second.back();
  least->second.pop_back();
  std::vector<Departure> departures;
  fringe.path(taken, departures);
  if (departures == plan.departures && taken.cost == plan.cost && taken.again == plan.again)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "another plan, at " << count(model) << " left";
}

// Random trees of plans, grown and taken down again.
void push_children(Fringe& fringe, Model& model, const Fringe::Waiting& taken, const ModelPlan& plan,
                   std::uint64_t children, Fringe::Key keys, Random& random) {
  for (; children > 0; --children) {
    ModelPlan child = plan;
    child.departures.push_back(departure(random));
    child.cost += static_cast<std::uint32_t>(random.below(3));
    child.again = false;
    Fringe::Key key = random.below(keys);
    fringe.push(taken.node, child.departures.back(), 0, key, child.cost);
    model[key].push_back(child);
  }
}

class Limits : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(Limits, TheOrderIsThatOfBucketsOfStacks) {
  for (Fringe::Key keys : {1, 3, 200}) {
    Random random(keys);
    Fringe fringe({GetParam(), MemoryFile::make});
    Model model;
    fringe.push_plan({}, 0, 0);
    model[0].push_back({});
    Fringe::Waiting taken;
    ModelPlan plan;
    for (int step = 0; count(model) > 0; ++step) {
      ASSERT_LT(step, 100'000);
      ASSERT_TRUE(pop_same(fringe, model, taken, plan));
      bool grows = step < 500;
      push_children(fringe, model, taken, plan, grows ? 1 + random.below(7) : 0, keys, random);
      if (grows && random.below(5) == 0) {
        Fringe::Key key = random.below(keys);
        plan.again = true;
        plan.cost += 1;
        fringe.push_again(taken, key, plan.cost);
        model[key].push_back(plan);
      } else {
        fringe.release(taken);
      }
      fringe.settle();
      ASSERT_EQ(fringe.size(), count(model));
    }
    EXPECT_FALSE(fringe.pop(taken));
    EXPECT_EQ(fringe.problem(), "");
    EXPECT_EQ(fringe.statistics().nodes, 1u) << "nothing is kept of what was taken";
    EXPECT_TRUE(fringe.guarantee(Base::nonpreemptive, std::nullopt).complete);
    EXPECT_EQ(fringe.statistics().spilled > 0, GetParam() < kUnlimited);
  }
}

INSTANTIATE_TEST_SUITE_P(Fringe, Limits, ::testing::Values(0, 100, 3'000, 20'000, kUnlimited));

// The same where what others depart from stays in memory. The nodes' numbers are then the same again, too.
TEST(Fringe, KeepsWhatOthersDepartFrom) {
  Random random(3);
  Fringe::Settings settings{12'000, MemoryFile::make};
  settings.keeps_inner = true;
  Fringe fringe(settings);
  Fringe whole({});
  fringe.push_plan({}, 0, 0);
  whole.push_plan({}, 0, 0);
  std::vector<Departure> path;
  std::vector<Departure> expected;
  for (int step = 0; whole.size() > 0; ++step) {
    Fringe::Waiting taken;
    Fringe::Waiting same;
    ASSERT_TRUE(whole.pop(same));
    ASSERT_TRUE(fringe.pop(taken)) << fringe.problem();
    fringe.path(taken, path);
    whole.path(same, expected);
    ASSERT_EQ(path, expected);
    std::vector<Fringe::Node> nodes;
    fringe.lineage(taken, nodes);
    ASSERT_EQ(nodes.size(), path.size());
    ASSERT_EQ(nodes.empty() ? ExecutionTree::kRoot : nodes.back(), taken.node);
    for (std::uint64_t i = step < 12 ? 60 : 0; i > 0; --i) {
      const Departure departures[] = {
          {{1, ChoiceKind::thread, static_cast<std::uint32_t>(random.below(9))}, {}},
          {{1, ChoiceKind::value, static_cast<std::uint32_t>(i)}, {}}};
      const Fringe::Key key = random.below(3);
      const std::span some = std::span(departures).first(1 + random.below(2));
      fringe.push_path(taken.node, some, 0, key, 0);
      whole.push_path(same.node, some, 0, key, 0);
    }
    std::size_t gone = 0;
    fringe.release(taken.node, [&](Fringe::Node node, Fringe::Node, const Departure&) {
      EXPECT_TRUE(gone > 0 || node == taken.node);
      ++gone;
    });
    whole.release(same);
    fringe.settle();
    ASSERT_EQ(fringe.size(), whole.size());
  }
  EXPECT_GT(fringe.statistics().spilled, 100u);
  EXPECT_EQ(fringe.statistics().nodes, 1u);
}

// What cannot go to the file must not fill the memory.
TEST(Fringe, SaysThatWhatMustStayIsTooMuch) {
  Fringe::Settings settings{1'000, MemoryFile::make};
  settings.keeps_inner = true;
  Fringe fringe(settings);
  fringe.push_plan({}, 0, 0);
  fringe.settle(900);
  EXPECT_EQ(fringe.problem(), "");
  fringe.settle(1'001);
  EXPECT_NE(fringe.problem().find("--search-memory"), std::string::npos);
  Fringe::Waiting taken;
  EXPECT_FALSE(fringe.pop(taken));
  EXPECT_FALSE(fringe.guarantee(Base::nonpreemptive, {}).exhausted);
}

// Of 100,000 plans only so many stay in memory as are allowed, and some that the bookkeeping takes.
TEST(Fringe, KeepsToItsMemory) {
  constexpr std::uint64_t kMemory = 200'000;
  Random random(5);
  Fringe fringe({kMemory, MemoryFile::make});
  Model model;
  fringe.push_plan({}, 0, 0);
  model[0].push_back({});
  Fringe::Waiting taken;
  ModelPlan plan;
  while (count(model) < 20'000) {
    ASSERT_TRUE(pop_same(fringe, model, taken, plan));
    push_children(fringe, model, taken, plan, 50, 10, random);
    fringe.release(taken);
    fringe.settle();
    ASSERT_LT(fringe.statistics().nodes * ExecutionTree::kNodeBytes, kMemory);
  }
  EXPECT_GT(fringe.statistics().spilled, 10'000u);
  // Now and then a plan is written twice, not again and again.
  EXPECT_LT(fringe.statistics().spilled, 60'000u);
  for (int i = 0; i < 5'000; ++i) {
    ASSERT_TRUE(pop_same(fringe, model, taken, plan));
    fringe.release(taken);
    fringe.settle();
  }
}

// A fringe with much in its file, and its model.
void fill(Fringe& fringe, Model& model, Random& random) {
  fringe.push_plan({}, 0, 1);
  model[0].push_back({{}, 1, false});
  Fringe::Waiting taken;
  ModelPlan plan;
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(pop_same(fringe, model, taken, plan));
    push_children(fringe, model, taken, plan, 9, 7, random);
    fringe.release(taken);
    fringe.settle();
  }
  ASSERT_GT(fringe.statistics().spilled, 0u);
}

TEST(Fringe, SplitsAndMergesWhereSomeIsInTheFile) {
  for (std::uint64_t memory : {0, 800, 3'000}) {
    Random random(memory);
    Fringe fringe({memory, MemoryFile::make});
    Model model;
    fill(fringe, model, random);
    std::vector<std::vector<Departure>> all;
    for (const auto& [key, bucket] : model) {
      for (const ModelPlan& plan : bucket) all.push_back(plan.departures);
    }
    std::size_t before = fringe.size();
    Fringe other({memory, MemoryFile::make});
    fringe.split(other);
    EXPECT_EQ(fringe.size() + other.size(), before);
    EXPECT_GT(other.size(), 0u);
    fringe.merge(other);
    EXPECT_EQ(fringe.size(), before);
    EXPECT_EQ(other.size(), 0u);
    Fringe::Waiting taken;
    std::vector<Departure> departures;
    while (fringe.pop(taken)) {
      fringe.path(taken, departures);
      auto known = std::find(all.begin(), all.end(), departures);
      ASSERT_NE(known, all.end());
      all.erase(known);
      fringe.release(taken);
    }
    EXPECT_TRUE(all.empty());
    EXPECT_EQ(fringe.statistics().nodes, 1u);
  }
}

TEST(Fringe, IsSavedWithWhatIsInTheFile) {
  Random random(3);
  ThreadNames names;
  for (std::uint32_t i = 1; i < 500; ++i) names.child(kMainThread, i);
  Fringe fringe({900, MemoryFile::make});
  Model model;
  fill(fringe, model, random);
  ByteWriter out;
  fringe.save(out, names);
  ByteReader in(out.bytes());
  Fringe other({500, MemoryFile::make});
  other.load(in, names);
  EXPECT_TRUE(in.ok() && in.at_end());
  Fringe::Waiting taken;
  ModelPlan plan;
  while (count(model) > 0) {
    ASSERT_TRUE(pop_same(other, model, taken, plan));
    other.release(taken);
  }
}

class Failing : public ::testing::Test {
 protected:
  void TearDown() override { MemoryFile::writes_left = MemoryFile::reads_left = 1 << 30; }
};

TEST_F(Failing, WhatCannotBeWrittenEndsTheSearch) {
  MemoryFile::writes_left = 10;
  Random random(3);
  Fringe fringe({0, MemoryFile::make});
  Model model;
  fringe.push_plan({}, 0, 0);
  model[0].push_back({});
  Fringe::Waiting taken;
  ModelPlan plan;
  int steps = 0;
  while (fringe.problem().empty() && ++steps < 1'000) {
    ASSERT_TRUE(pop_same(fringe, model, taken, plan));
    push_children(fringe, model, taken, plan, 20, 7, random);
    fringe.release(taken);
    fringe.settle();
  }
  EXPECT_EQ(fringe.problem(), "the test's file fails");
  EXPECT_FALSE(fringe.pop(taken));
  Guarantee guarantee = fringe.guarantee(Base::nonpreemptive, std::nullopt);
  EXPECT_FALSE(guarantee.exhausted || guarantee.complete || guarantee.bounds[0].completed);
}

TEST_F(Failing, WhatCannotBeReadEndsTheSearch) {
  Random random(3);
  Fringe fringe({900, MemoryFile::make});
  Model model;
  fill(fringe, model, random);
  MemoryFile::reads_left = 5;
  Fringe::Waiting taken;
  std::size_t popped = 0;
  while (fringe.pop(taken)) {
    fringe.release(taken);
    ++popped;
  }
  EXPECT_LT(popped, count(model));
  EXPECT_EQ(fringe.problem(), "the test's file fails");
  Guarantee guarantee = fringe.guarantee(Base::nonpreemptive, std::nullopt);
  EXPECT_FALSE(guarantee.exhausted || guarantee.complete || guarantee.bounds[0].completed);

  // Nor may whoever takes it over claim more.
  ByteWriter out;
  ThreadNames names;
  for (std::uint32_t i = 1; i < 500; ++i) names.child(kMainThread, i);
  fringe.save(out, names);
  ByteReader in(out.bytes());
  Fringe loaded({kUnlimited, MemoryFile::make});
  loaded.load(in, names);
  EXPECT_NE(loaded.problem(), "");
  Fringe merged({kUnlimited, MemoryFile::make});
  merged.merge(fringe);
  EXPECT_NE(merged.problem(), "");
  EXPECT_FALSE(merged.guarantee(Base::nonpreemptive, std::nullopt).exhausted);
}

}  // namespace
}  // namespace thrum
