// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/random.hpp"

namespace thrum::vm {
namespace {

constexpr std::uint64_t kBegin = kGlobals;
constexpr std::uint64_t kSize = 256;

std::vector<std::uint8_t> content() {
  std::vector<std::uint8_t> bytes(2 * kSize);
  std::copy_n(&at<std::uint8_t>(kBegin), kSize, bytes.begin());
  std::copy_n(&shadow_at<std::uint8_t>(kBegin), kSize, bytes.begin() + kSize);
  return bytes;
}

TEST(Memory, UndoesWritesOfAllKinds) {
  Memory memory;
  memory.set_shadow(kBegin, kSize, kAddressable);
  memory.keep_log();
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    const std::vector<std::uint8_t> before = content();
    const Mark mark = memory.mark();
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t place = kBegin + random.next() % (kSize - 16);
      const std::uint64_t length = random.next() % 16;
      switch (random.next() % 4) {
        case 0: memory.fill(place, static_cast<int>(random.next()), length); break;
        case 1: memory.set_shadow(place, length, static_cast<std::uint8_t>(random.next())); break;
        case 2: memory.put(at<std::uint64_t>(place & ~std::uint64_t{7}), random.next()); break;
        default: memory.copy(place, &at<char>(kBegin + random.next() % (kSize - 16)), length);
      }
    }
    const std::vector<std::uint8_t> changed = content();
    EXPECT_NE(before, changed);
    memory.undo(mark);
    EXPECT_EQ(before, content()) << "round " << round;
  }
}

TEST(Memory, UndoesToAnyOfSeveralMarks) {
  Memory memory;
  memory.keep_log();
  auto& word = at<std::uint64_t>(kBegin);
  std::vector<Mark> marks;
  for (std::uint64_t i = 0; i < 10; ++i) {
    marks.push_back(memory.mark());
    memory.put(word, i + 1);
  }
  memory.undo(marks[7]);
  EXPECT_EQ(word, 7U);
  memory.undo(marks[2]);
  EXPECT_EQ(word, 2U);
}

TEST(Memory, KeepsNothingBeforeTheFirstMark) {
  Memory memory;
  auto& word = at<std::uint64_t>(kBegin);
  for (std::uint64_t i = 0; i < 100'000; ++i) memory.put(word, i);
  memory.keep_log();
  const Mark mark = memory.mark();
  memory.put(word, std::uint64_t{5});
  memory.undo(mark);
  EXPECT_EQ(word, 99'999U);
}

TEST(Memory, FindsTheFirstByteThatDoesNotFit) {
  Memory memory;
  memory.set_shadow(kBegin, kSize, kAddressable | kDefined);
  EXPECT_EQ(Memory::first_unfit(kBegin, kSize, kAddressable), kBegin + kSize);
  for (std::uint64_t wrong : {0U, 1U, 7U, 8U, 63U, 64U, 200U}) {
    memory.set_shadow(kBegin + wrong, 1, kFreed);
    EXPECT_EQ(Memory::first_unfit(kBegin, kSize, kAddressable), kBegin + wrong);
    memory.set_shadow(kBegin + wrong, 1, kAddressable | kDefined | kReadOnly);
    EXPECT_EQ(Memory::first_unfit(kBegin, kSize, kAddressable), kBegin + kSize);
    EXPECT_EQ(Memory::first_unfit(kBegin, kSize, kAddressable, kReadOnly), kBegin + wrong);
    memory.set_shadow(kBegin + wrong, 1, kAddressable | kDefined);
  }
}

}  // namespace
}  // namespace thrum::vm
