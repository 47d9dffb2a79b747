// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/threads/stack_accesses.hpp"

#include <gtest/gtest.h>

namespace thrum {
namespace {

constexpr std::uint64_t kCode = 0x401234;

TEST(StackAccesses, NobodyElseAccessesAVariableAtFirst) {
  StackAccesses accesses;
  EXPECT_TRUE(accesses.empty());
  EXPECT_TRUE(accesses.add(3, kCode, 0x1004, 8)) << "in two words";
  EXPECT_FALSE(accesses.empty());
  EXPECT_EQ(accesses.touch(3, 0x1000, 16), 0u) << "its own thread";
  EXPECT_EQ(accesses.touch(4, 0x1010, 8), 0u) << "beside it";
}

TEST(StackAccesses, AnAccessOfAnotherThreadIsToldOnce) {
  StackAccesses accesses;
  EXPECT_TRUE(accesses.add(3, kCode, 0x1000, 4));
  EXPECT_EQ(accesses.touch(0, 0xffc, 5), kCode);
  EXPECT_EQ(accesses.touch(0, 0x1000, 1), 0u);
  EXPECT_FALSE(accesses.add(3, kCode, 0x1000, 4)) << "it is shared from now on";
}

TEST(StackAccesses, TravelToOtherProcesses) {
  StackAccesses accesses;
  accesses.add(0, kCode, 0x1000, 4);
  accesses.add(1, kCode, 0x2000, 4);
  accesses.touch(2, 0x2000, 4);
  ByteWriter out;
  accesses.write(out);
  const std::string bytes = out.take();
  ByteReader in(bytes);
  StackAccesses other;
  other.add(0, kCode + 1, 0x1000, 4);
  other.read(in);
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(other.touch(5, 0x1000, 4), kCode + 1) << "known before";
  EXPECT_FALSE(other.add(1, kCode, 0x2000, 4));
}

}  // namespace
}  // namespace thrum
