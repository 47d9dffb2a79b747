// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unfolding/condition_trees.hpp"

#include <gtest/gtest.h>

#include <random>

namespace thrum {
namespace {

using Condition = ConditionTrees::Condition;

// By walking from parent to parent.
Condition ancestor(const ConditionTrees& trees, Condition condition, std::uint32_t depth) {
  while (trees.depth(condition) > depth) condition = trees.parent(condition);
  return condition;
}

TEST(ConditionTrees, TwoChildrenAreInConflict) {
  ConditionTrees trees;
  const Condition root = trees.initial(trees.open());
  const Condition one = trees.add(root, 0, 1);
  const Condition other = trees.add(root, 1, 2);
  EXPECT_TRUE(trees.leads_to(root, one));
  EXPECT_TRUE(trees.leads_to(other, other));
  EXPECT_FALSE(trees.leads_to(one, other));
  EXPECT_FALSE(trees.leads_to(one, root));
  EXPECT_EQ(trees.first_child(root), other);
  EXPECT_EQ(trees.next_sibling(other), one);
  EXPECT_EQ(trees.event(root), ConditionTrees::kNone);
}

TEST(ConditionTrees, FindAncestorsOfRandomTrees) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    ConditionTrees trees;
    std::vector<Condition> all = {trees.initial(trees.open())};
    const std::uint32_t newest = seed % 4 + 1;  // how often a chain grows on
    for (std::uint32_t i = 0; i < 500; ++i) {
      const Condition parent = random() % 4 < newest ? all.back() : all[random() % all.size()];
      all.push_back(trees.add(parent, i, 1));
      EXPECT_EQ(trees.depth(all.back()), trees.depth(parent) + 1);
    }
    for (int i = 0; i < 500; ++i) {
      const Condition condition = all[random() % all.size()];
      const auto depth = static_cast<std::uint32_t>(random() % (trees.depth(condition) + 1));
      EXPECT_EQ(trees.ancestor(condition, depth), ancestor(trees, condition, depth));
      const Condition other = all[random() % all.size()];
      const bool is_above = trees.depth(other) <= trees.depth(condition) &&
                            ancestor(trees, condition, trees.depth(other)) == other;
      EXPECT_EQ(trees.leads_to(other, condition), is_above);
    }
  }
}

TEST(ConditionTrees, LeavesOutWhatOneThreadHasMade) {
  ConditionTrees trees;
  const ConditionTrees::Condition root = trees.initial(trees.open());
  std::vector<ConditionTrees::Condition> by_others;  // than 1
  const std::vector<ConditionTrees::Slot> makers = {1, 1, 2, 1, 1, 1, 3, 2, 1};
  for (std::uint32_t i = 0; i < makers.size(); ++i) {
    const ConditionTrees::Condition added = trees.add(root, i, makers[i]);
    if (makers[i] != 1) by_others.insert(by_others.begin(), added);
  }
  std::vector<ConditionTrees::Condition> found;
  for (auto child = trees.first_child_by_others(root, 1); child != ConditionTrees::kNone;
       child = trees.next_sibling_by_others(child, 1))
    found.push_back(child);
  EXPECT_EQ(found, by_others);
}

}  // namespace
}  // namespace thrum
