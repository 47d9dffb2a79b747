// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/list_decisions.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace thrum {
namespace {

using Node = ThreadTrees::Node;

constexpr std::uint64_t kFirstCode = 0x401000;
constexpr std::uint64_t kSecondCode = 0x402000;

// Main reads a variable, and behind one of its two values another one, by the same code or not.
class ListDecisions : public testing::Test {
 protected:
  Node read(Node at, std::uint64_t object, std::uint64_t code, std::uint64_t value) {
    ThreadTrees::Access access;
    access.object = object;
    access.size = 4;
    const Node decision = trees_.decide(trees_.read(at, access), Terms::kNone, 0);
    trees_.set_place(decision, code);
    last_ = decision;
    return trees_.choose_outcome(decision, value);
  }

  static std::string nothing_else(Node) { return ""; }

  ThreadTrees trees_;
  Node main_ = trees_.start(kMainThread, ThreadTrees::kNone);
  Node last_ = ThreadTrees::kNone;  // decision
};

TEST_F(ListDecisions, KeepsEachValueOnce) {
  read(main_, 8, kFirstCode, 7);
  const Node other = read(main_, 8, kFirstCode, 3);
  read(other, 16, kSecondCode, 1);
  const ShownDecisions shown = list_decisions(trees_, {}, nothing_else);
  ASSERT_EQ(shown.reads.size(), 2u);
  EXPECT_EQ(shown.reads[0].code, kFirstCode);
  EXPECT_EQ(shown.reads[0].object, 8u);
  EXPECT_EQ(shown.reads[0].values, (std::vector<std::uint64_t>{3, 7}));
  EXPECT_EQ(shown.reads[0].ways, 1u);
  EXPECT_EQ(shown.reads[0].undecided, 0u);
  EXPECT_EQ(shown.reads[1].values, std::vector<std::uint64_t>{1});
  EXPECT_TRUE(shown.undecided.empty());
}

TEST_F(ListDecisions, AddsUpTheWaysToAPlace) {
  const Node first = read(main_, 8, kFirstCode, 7);
  const Node other = read(main_, 8, kFirstCode, 3);
  read(first, 16, kSecondCode, 1);
  const Node behind_first = last_;
  read(other, 24, kSecondCode, 1);
  const auto reason = [&](Node node) { return node == behind_first ? "nobody knows" : ""; };
  const ShownDecisions shown = list_decisions(trees_, std::vector<Node>{behind_first}, reason);
  ASSERT_EQ(shown.reads.size(), 2u);
  EXPECT_EQ(shown.reads[1].ways, 2u);
  EXPECT_EQ(shown.reads[1].object, 0u) << "it reads several things";
  EXPECT_EQ(shown.reads[1].values, std::vector<std::uint64_t>{1});
  EXPECT_EQ(shown.reads[1].undecided, 1u);
  EXPECT_EQ(shown.reads[1].reason, "nobody knows");
  ASSERT_EQ(shown.undecided.size(), 1u);
  EXPECT_EQ(shown.undecided[0].code, kSecondCode);
  EXPECT_EQ(shown.undecided[0].reason, "nobody knows");
}

// An operation that was never done has no place. That of the read before it stands for it.
TEST_F(ListDecisions, NamesTheLastPlaceThatIsKnown) {
  const Node outcome = read(main_, 8, kFirstCode, 7);
  ThreadTrees::Operation lock;
  lock.operation = Operation::lock;
  const Node expected = trees_.expect(outcome, lock);
  const ShownDecisions shown =
      list_decisions(trees_, std::vector<Node>{expected}, [](Node) { return "it waits"; });
  ASSERT_EQ(shown.undecided.size(), 1u);
  EXPECT_EQ(shown.undecided[0].code, kFirstCode);
}

}  // namespace
}  // namespace thrum
