// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/shared_block.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace thrum {
namespace {

constexpr std::size_t kStorage = 40;
constexpr std::size_t kNumber = 0x2d0;

// A control block as libc makes one, with storage below it.
struct Block {
  explicit Block(char fill) {
    bytes.fill(fill);
    word(16) = address();
  }
  std::uint64_t address() { return reinterpret_cast<std::uint64_t>(bytes.data() + 256); }
  std::uint64_t& word(std::ptrdiff_t at) {
    return *reinterpret_cast<std::uint64_t*>(bytes.data() + 256 + at);
  }

  alignas(64) std::array<char, 2048> bytes;
};

TEST(SharedBlock, EachFindsWhatItLeft) {
  Block main(1);
  Block first(2);
  Block second(3);
  SharedBlock block;
  block.begin(main.address(), kStorage, kNumber);

  auto leave = [&](std::uint64_t mark) { main.word(-40) = main.word(-8) = main.word(kNumber) = mark; };
  auto expect = [&](Block& own, std::uint64_t mark) {
    EXPECT_EQ(main.word(16), own.address());
    EXPECT_EQ(main.word(-40), mark);
    EXPECT_EQ(main.word(-8), mark);
    EXPECT_EQ(main.word(kNumber), mark);
  };
  leave(100);
  block.give_to(first.address());
  expect(first, 0x0202'0202'0202'0202);
  leave(101);
  block.give_to(second.address());
  expect(second, 0x0303'0303'0303'0303);
  leave(102);
  block.give_to(first.address());
  expect(first, 101);
  block.give_to(main.address());
  expect(main, 100);
  block.give_to(second.address());
  expect(second, 102);
  EXPECT_EQ(first.word(16), first.address());
}

TEST(SharedBlock, LeavesWhatAllHaveInCommon) {
  Block main(1);
  Block other(2);
  SharedBlock block;
  block.begin(main.address(), kStorage, kNumber);
  block.give_to(other.address());
  EXPECT_EQ(main.word(0), 0x0101'0101'0101'0101);     // the block's own address
  EXPECT_EQ(main.word(0x28), 0x0101'0101'0101'0101);  // the stack guard
  EXPECT_EQ(main.word(-64), 0x0101'0101'0101'0101);   // below all storage
}

TEST(SharedBlock, HomesAreAsTheThreadsAre) {
  Block main(1);
  Block other(2);
  SharedBlock block;
  auto last = [&](Block& own) {
    std::uint64_t word;
    std::memcpy(&word, block.home_of(own.address()) - sizeof word, sizeof word);
    return word;
  };
  EXPECT_EQ(block.home_of(main.address()), main.bytes.data() + 256);

  block.begin(main.address(), kStorage, kNumber);
  main.word(-8) = 7;
  EXPECT_EQ(last(main), 7);
  block.give_to(other.address());
  main.word(-8) = 8;
  EXPECT_EQ(last(main), 7);
  EXPECT_EQ(last(other), 8);

  std::uint64_t word = 9;
  std::memcpy(block.home_of(other.address()) - sizeof word, &word, sizeof word);
  block.fetch_from_home();
  EXPECT_EQ(main.word(-8), 9);
}

TEST(SharedBlock, HoldsItsStorageWhileThereIsOne) {
  Block main(1);
  SharedBlock block;
  EXPECT_FALSE(block.holds(main.address() - 8));
  block.begin(main.address(), kStorage, kNumber);
  EXPECT_TRUE(block.holds(main.address() - 8));
  EXPECT_TRUE(block.holds(main.address() - kStorage));
  EXPECT_FALSE(block.holds(main.address()));
  EXPECT_FALSE(block.holds(main.address() - 64));
  block.end();
  EXPECT_FALSE(block.holds(main.address() - 8));
}

}  // namespace
}  // namespace thrum
