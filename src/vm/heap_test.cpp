// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/heap.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "support/random.hpp"

namespace thrum::vm {
namespace {

bool is_addressable(std::uint64_t begin, std::uint64_t size) {
  return Memory::first_unfit(begin, size, kAddressable) == begin + size;
}

TEST(VmHeap, GivesBlocksWithNothingAddressableBeside) {
  Memory memory;
  Heap heap(memory, true);
  for (std::uint64_t size : {0U, 1U, 15U, 16U, 17U, 100U, 1024U, 1025U, 5000U}) {
    const std::uint64_t block = heap.allocate(0, kMainThread, size);
    EXPECT_EQ(block % 16, 0U);
    EXPECT_TRUE(is_addressable(block, size));
    EXPECT_FALSE(is_addressable(block - 1, 1));
    EXPECT_FALSE(is_addressable(block + size, 1));
    EXPECT_EQ(heap.size_of(block), size);
  }
}

TEST(VmHeap, UsesTheLastFreedBlockFirst) {
  Memory memory;
  Heap heap(memory, true);
  const std::uint64_t first = heap.allocate(0, kMainThread, 24);
  const std::uint64_t second = heap.allocate(0, kMainThread, 24);
  EXPECT_EQ(heap.release(1, first), Heap::Misuse::none);
  EXPECT_EQ(heap.release(1, second), Heap::Misuse::none);
  EXPECT_NE(heap.allocate(0, kMainThread, 24), second);  // they belong to who freed them
  EXPECT_EQ(heap.allocate(1, kMainThread, 20), second);
  EXPECT_TRUE(heap.gave_used_block());
  EXPECT_EQ(heap.allocate(1, kMainThread, 32), first);
  EXPECT_FALSE(is_addressable(second + 20, 1));
}

TEST(VmHeap, NeverUsesABlockAgainIfItIsNotTo) {
  Memory memory;
  Heap heap(memory, false);
  const std::uint64_t block = heap.allocate(0, kMainThread, 24);
  EXPECT_EQ(heap.release(0, block), Heap::Misuse::none);
  EXPECT_NE(heap.allocate(0, kMainThread, 24), block);
}

TEST(VmHeap, TellsWrongFrees) {
  Memory memory;
  Heap heap(memory, true);
  const std::uint64_t block = heap.allocate(0, kMainThread, 64);
  EXPECT_EQ(heap.release(0, block + 16), Heap::Misuse::not_a_block);
  EXPECT_EQ(heap.release(0, kGlobals), Heap::Misuse::not_a_block);
  EXPECT_EQ(heap.release(0, block), Heap::Misuse::none);
  EXPECT_EQ(heap.release(0, block), Heap::Misuse::freed_twice);
  const std::uint64_t aligned = heap.allocate_aligned(0, kMainThread, 256, 40);
  EXPECT_EQ(aligned % 256, 0U);
  EXPECT_EQ(heap.size_of(aligned), 40U);
  EXPECT_EQ(heap.release(0, aligned), Heap::Misuse::none);
  EXPECT_EQ(heap.release(0, aligned), Heap::Misuse::freed_twice);
}

TEST(VmHeap, FindsTheBlockOfAnAddress) {
  Memory memory;
  Heap heap(memory, true);
  Random random(3);
  std::map<std::uint64_t, std::uint64_t> blocks;
  for (int i = 0; i < 300; ++i) {
    const std::uint64_t size = 1 + random.next() % 3000;
    blocks[heap.allocate(0, kMainThread, size)] = size;
  }
  for (const auto& [begin, size] : blocks) {
    const auto found = heap.find(begin + random.next() % size);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->begin, begin);
    EXPECT_EQ(found->size, size);
    EXPECT_TRUE(found->is_live);
  }
  EXPECT_FALSE(heap.find(kHeap + heap.extent(0)).has_value());
}

TEST(VmHeap, IsUndone) {
  Memory memory;
  Heap heap(memory, true);
  heap.allocate(0, kMainThread, 100);
  memory.keep_log();
  const auto run = [&heap] {
    Random random(9);
    std::vector<std::uint64_t> given;
    for (int i = 0; i < 500; ++i) {
      if (random.next() % 3 != 0 || given.empty()) {
        given.push_back(heap.allocate(0, kMainThread, random.next() % 200, random.next() % 2 == 0));
      } else {
        heap.release(0, given[random.next() % given.size()]);
      }
    }
    return given;
  };
  const Mark mark = memory.mark();
  const std::uint64_t extent = heap.extent(0);
  const std::vector<std::uint64_t> once = run();
  memory.undo(mark);
  EXPECT_EQ(heap.extent(0), extent);
  EXPECT_EQ(once, run());
}

}  // namespace
}  // namespace thrum::vm
