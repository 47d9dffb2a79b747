// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "leaks/leak_marks.hpp"

#include <gtest/gtest.h>

#include <array>

namespace thrum {
namespace {

// Blocks of four words each, which lie one behind the other.
class LeakMarksTest : public testing::Test {
 protected:
  LeakMarksTest() {
    std::vector<LiveBlock> blocks;
    for (std::uint32_t i = 0; i < memory_.size(); ++i)
      blocks.push_back({address(i), sizeof memory_[i], i == 5 ? ThreadId{1} : kMainThread, i + 1});
    marks_.begin(std::move(blocks));
  }

  std::uint64_t address(std::size_t block) const { return reinterpret_cast<std::uint64_t>(&memory_[block]); }
  void point(std::size_t from, std::size_t to) { memory_[from][1] = address(to); }
  std::vector<LeakMarks::Group> groups() {
    return marks_.groups([this](const LiveBlock& block) { return codes_[block.number - 1]; });
  }

  std::array<std::array<std::uint64_t, 4>, 6> memory_{};
  std::array<std::vector<std::uint64_t>, 6> codes_{};
  LeakMarks marks_;
};

TEST_F(LeakMarksTest, WhatIsReachedByARootIsNotLost) {
  point(0, 1);
  point(1, 2);
  memory_[2][3] = (std::uint64_t{0xbeef} << 48) + address(3) + 31;  // a tag, and its last byte
  marks_.mark_value(address(0));
  marks_.follow();
  EXPECT_EQ(marks_.lost().blocks, 2u);
  EXPECT_EQ(marks_.lost().bytes, 64u);
}

TEST_F(LeakMarksTest, WordsOfMemoryAreRoots) {
  const std::array<std::uint64_t, 3> roots{address(1), 7, address(5)};
  marks_.mark(std::span(reinterpret_cast<const char*>(roots.data()), sizeof roots));
  marks_.follow();
  EXPECT_EQ(marks_.lost().blocks, 4u);
}

TEST_F(LeakMarksTest, IgnoredBlocksAreRootsToo) {
  point(1, 4);
  const std::array ignored{IgnoredBlocks{kMainThread, 2, 3}, IgnoredBlocks{ThreadId{1}, 1, 5}};
  marks_.mark(ignored);
  marks_.follow();
  EXPECT_EQ(marks_.lost().blocks, 3u) << "all but the second, the third, and what the second points to";
}

TEST_F(LeakMarksTest, GroupsAreByThreadAndPlaceAndOwner) {
  codes_ = {{{10, 20}, {10, 20}, {11, 20}, {10, 20}, {10, 20}, {10, 20}}};
  point(0, 3);
  point(3, 4);
  point(4, 3);  // a cycle behind an owner
  marks_.follow();
  const std::vector<LeakMarks::Group> found = groups();
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].blocks.blocks, 2u) << "the first two";
  EXPECT_EQ(found[1].codes, (std::vector<std::uint64_t>{11, 20}));
  EXPECT_EQ(found[2].blocks.thread, ThreadId{1});
  EXPECT_TRUE(found[3].blocks.with_another);
  EXPECT_EQ(found[3].blocks.blocks, 2u);
}

TEST_F(LeakMarksTest, OfACycleOneBlockIsTheOwner) {
  marks_.mark(std::array{IgnoredBlocks{kMainThread, 3, 6}, IgnoredBlocks{ThreadId{1}, 1, 6}});
  point(0, 1);
  point(1, 0);
  marks_.follow();
  const std::vector<LeakMarks::Group> found = groups();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_FALSE(found[0].blocks.with_another);
  EXPECT_TRUE(found[1].blocks.with_another);
}

TEST_F(LeakMarksTest, TheIdentityIsOfTheOwnersPlaces) {
  codes_.fill({1, 2});
  marks_.follow();
  const std::uint64_t one = LeakMarks::identity(groups());
  codes_[3] = {1, 3};
  EXPECT_NE(LeakMarks::identity(groups()), one);
  codes_[3] = {1, 2};
  EXPECT_EQ(LeakMarks::identity(groups()), one);
}

TEST(LostText, CountsInWords) {
  EXPECT_EQ(lost_text({1, 1}),
            "1 block of the heap (1 byte) is lost: nothing points to it when the execution ends");
  EXPECT_EQ(lost_text({2, 40}),
            "2 blocks of the heap (40 bytes) are lost: nothing points to them when the execution ends");
}

}  // namespace
}  // namespace thrum
