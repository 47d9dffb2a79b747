// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/compared_constants.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace thrum {
namespace {

using Values = std::vector<std::int64_t>;

Values constants(const std::vector<unsigned char>& code) { return constants_in(code, 100); }

TEST(ComparedConstants, AreThoseOfComparisons) {
  EXPECT_EQ(constants({0x83, 0xf8, 0x19}), Values{25});                          // cmp $25, %eax
  EXPECT_EQ(constants({0x83, 0xff, 0xf9}), Values{-7});                          // cmp $-7, %edi
  EXPECT_EQ(constants({0x3d, 0x39, 0x30, 0x00, 0x00}), Values{12345});           // cmp $12345, %eax
  EXPECT_EQ(constants({0x81, 0xff, 0x39, 0x30, 0x00, 0x00}), Values{12345});     // cmp $12345, %edi
  EXPECT_EQ(constants({0x48, 0x83, 0x7d, 0xf8, 0x19}), Values{25});              // cmpq $25, -8(%rbp)
  EXPECT_EQ(constants({0x83, 0x3d, 0x00, 0x00, 0x00, 0x00, 0x19}), Values{25});  // cmpl $25, x(%rip)
  EXPECT_EQ(constants({0x83, 0xf8, 0x01}), Values{});                            // 1 is tried anyway
}

TEST(ComparedConstants, AreEndsOfRanges) {
  // lea -20(%rdi), %eax; cmp $19, %eax
  EXPECT_EQ(constants({0x8d, 0x47, 0xec, 0x83, 0xf8, 0x13}), (Values{20, 19, 39}));
  EXPECT_EQ(constants({0x83, 0xe8, 0x14, 0x83, 0xf8, 0x13}), (Values{20, 19, 39}));  // sub $20, %eax
  EXPECT_EQ(constants({0x48, 0x83, 0xec, 0x18}), Values{});                          // sub $24, %rsp
}

TEST(ComparedConstants, EndWhereTheCodeDoes) {
  EXPECT_EQ(constants({0x83}), Values{});
  EXPECT_EQ(constants({0x83, 0xf8}), Values{});
  EXPECT_EQ(constants({0x81, 0xff, 0x39, 0x30}), Values{});
  EXPECT_EQ(constants({0x83, 0x7c}), Values{});
  EXPECT_EQ(constants({0x3d, 0x01}), Values{});
  EXPECT_EQ(constants_in(std::vector<unsigned char>{0x83, 0xf8, 0x19, 0x83, 0xf8, 0x1a}, 1), Values{25});
}

}  // namespace
}  // namespace thrum
