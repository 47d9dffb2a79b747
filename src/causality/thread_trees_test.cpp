// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/thread_trees.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace thrum {
namespace {

using Node = ThreadTrees::Node;
using Relation = ThreadTrees::Relation;

ThreadTrees::Operation operation(Operation kind, std::uint64_t object, std::uint16_t way = 0) {
  ThreadTrees::Operation made;
  made.operation = kind;
  made.object = object;
  made.way = way;
  return made;
}

TEST(ThreadTrees, KeepEachThingOnce) {
  ThreadTrees trees;
  const Node main = trees.start(kMainThread, ThreadTrees::kNone);
  const Node load = trees.operate(main, operation(Operation::load, 8));
  EXPECT_EQ(trees.operate(main, operation(Operation::load, 8)), load);
  const std::uint64_t changes = trees.changes();
  EXPECT_EQ(trees.expect(main, operation(Operation::load, 8)), load);
  EXPECT_EQ(trees.changes(), changes);
  EXPECT_EQ(trees.problem(), "");
  EXPECT_EQ(trees.operate(main, operation(Operation::store, 8)), ThreadTrees::kNone);
  EXPECT_NE(trees.problem(), "");
}

TEST(ThreadTrees, BranchWhereAnOperationCanEndInSeveralWays) {
  ThreadTrees trees;
  const Node main = trees.start(kMainThread, ThreadTrees::kNone);
  const Node done = trees.operate(main, operation(Operation::try_lock, 8, 0));
  const Node failed = trees.expect(main, operation(Operation::try_lock, 8, 1));
  ASSERT_NE(failed, ThreadTrees::kNone);
  EXPECT_TRUE(trees[done].is_executed);
  EXPECT_FALSE(trees[failed].is_executed);
  EXPECT_EQ(trees.relation(done, failed), Relation::exclusive);
}

TEST(ThreadTrees, TellHowNodesStandToEachOther) {
  ThreadTrees trees;
  const Node main = trees.start(kMainThread, ThreadTrees::kNone);
  ThreadTrees::Operation create;
  create.operation = Operation::thread_create;
  create.other = 1;
  const Node creation = trees.operate(main, create);
  const Node child = trees.start(1, creation);
  const Node of_child = trees.operate(child, operation(Operation::store, 8));
  const Node of_main = trees.operate(creation, operation(Operation::store, 8));
  EXPECT_EQ(trees.relation(main, of_child), Relation::before);
  EXPECT_EQ(trees.relation(of_child, creation), Relation::after);
  EXPECT_EQ(trees.relation(of_child, of_main), Relation::concurrent);
  EXPECT_EQ(trees[child].step, main) << "it runs up to its first operation at once";
  EXPECT_EQ(trees[of_child].step, of_child);
}

// Ancestors are found by jumps; here by steps.
TEST(ThreadTrees, FindAncestors) {
  ThreadTrees trees;
  std::vector<Node> path = {trees.start(kMainThread, ThreadTrees::kNone)};
  for (std::uint64_t i = 0; i < 300; ++i)
    path.push_back(trees.operate(path.back(), operation(Operation::load, i)));
  for (std::size_t i = 0; i < path.size(); i += 7) {
    const Node branch = trees.expect(path[i], operation(Operation::load, i));
    EXPECT_EQ(branch, i + 1 < path.size() ? path[i + 1] : branch);
    for (std::size_t j = 0; j < path.size(); j += 11) {
      EXPECT_EQ(trees.is_before(path[i], path[j]), i < j);
      EXPECT_EQ(trees.last_common(path[i], path[j]), path[std::min(i, j)]);
    }
  }
}

}  // namespace
}  // namespace thrum
