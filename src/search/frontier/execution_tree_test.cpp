// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/frontier/execution_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "support/random.hpp"

namespace thrum {
namespace {

Departure random_departure(Random& random) {
  return {{static_cast<ThreadId>(random.below(0xffff)), static_cast<ChoiceKind>(random.below(3)),
           static_cast<std::uint32_t>(random.next())},
          {static_cast<std::uint16_t>(random.below(0x10000)), static_cast<Via>(random.below(2))}};
}

TEST(ExecutionTree, TheRootIsTheEmptyPlan) {
  ExecutionTree tree;
  std::vector<Departure> path(3);
  tree.path(ExecutionTree::kRoot, path);
  EXPECT_TRUE(path.empty());
  EXPECT_EQ(tree.live(), 1u);
}

TEST(ExecutionTree, ANodeLivesWhileAChildDoes) {
  ExecutionTree tree;
  ExecutionTree::Node parent = tree.add(ExecutionTree::kRoot, {});
  ExecutionTree::Node child = tree.add(parent, {});
  tree.release(parent);
  EXPECT_EQ(tree.live(), 3u);
  tree.release(child);
  EXPECT_EQ(tree.live(), 1u);
}

// GAMBIT's Figure 3, two threads of two operations each: A1 is replaced by B0 at step 1, A0 by B0 at step 0;
// of the second, B1 by A0 at step 1. Schedules: A0 B0 | B0 | B0 A0.
TEST(ExecutionTree, CountsWhatItSaves) {
  ExecutionTree tree;
  tree.measure();
  EXPECT_EQ(tree.uncompressed().tree, 1u);
  EXPECT_EQ(tree.uncompressed().apart, 0u);
  tree.note_length(4);
  ExecutionTree::Node late = tree.add(ExecutionTree::kRoot, {}, 1);
  ExecutionTree::Node early = tree.add(ExecutionTree::kRoot, {}, 0);
  EXPECT_EQ(tree.uncompressed().tree, 4u);   // the beginning, A0, A0 B0, B0
  EXPECT_EQ(tree.uncompressed().apart, 3u);  // A0 B0, B0
  EXPECT_EQ(tree.uncompressed().complete, 4u + 2 + 3);
  ExecutionTree::Node child = tree.add(early, {}, 5);
  tree.release(early);
  EXPECT_EQ(tree.uncompressed().tree, 9u);   // and four more of that execution, and the child's step
  EXPECT_EQ(tree.uncompressed().apart, 8u);  // A0 B0, and the child's
  tree.release(late);
  EXPECT_EQ(tree.uncompressed().tree, 7u);
  tree.release(child);
  EXPECT_EQ(tree.uncompressed().tree, 1u);
}

// Against a map from held nodes to whole paths.
TEST(ExecutionTree, AgreesWithWholePaths) {
  Random random(11);
  ExecutionTree tree;
  std::map<ExecutionTree::Node, std::vector<Departure>> held;
  std::vector<Departure> path;
  std::size_t most = 0;
  for (int round = 0; round < 20; ++round) {
    for (int step = 0; step < 2'000; ++step) {
      // Grows in even rounds and shrinks in odd ones.
      bool grow = held.empty() || random.below(10) < (round % 2 == 0 ? 7u : 3u);
      auto place =
          std::next(held.begin(), static_cast<std::ptrdiff_t>(held.empty() ? 0 : random.below(held.size())));
      if (!grow) {
        tree.release(place->first);
        held.erase(place);
        continue;
      }
      bool from_root = held.empty() || random.below(10) == 0;
      std::vector<Departure> whole = from_root ? std::vector<Departure>{} : place->second;
      whole.push_back(random_departure(random));
      ExecutionTree::Node node = tree.add(from_root ? ExecutionTree::kRoot : place->first, whole.back());
      EXPECT_FALSE(held.contains(node));
      held[node] = whole;
      tree.path(node, path);
      ASSERT_EQ(path, whole);
    }
    most = std::max(most, tree.live());
    for (const auto& [node, whole] : held) {
      tree.path(node, path);
      ASSERT_EQ(path, whole);
    }
    // As many nodes live as there are beginnings of held paths. Departures are drawn from so many that two
    // paths share a beginning only where one was made from the other.
    std::set<std::vector<std::uint32_t>> beginnings;
    for (const auto& [node, whole] : held) {
      std::vector<std::uint32_t> beginning;
      for (const Departure& departure : whole) {
        beginning.push_back(departure.key.index);
        beginnings.insert(beginning);
      }
    }
    EXPECT_EQ(tree.live(), beginnings.size() + 1);
  }
  EXPECT_GT(most, 500u);
  for (const auto& [node, whole] : held) tree.release(node);
  EXPECT_EQ(tree.live(), 1u);
}

}  // namespace
}  // namespace thrum
