// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/inputs.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace {

using namespace thrum::vm;

constexpr InputType kInt{4, true};
constexpr InputType kByte{1, false};

TEST(VmInputs, TheUsualValuesComeFirst) {
  const std::uint64_t expected[] = {0, 1, 0xffff'ffff, 0x7fff'ffff, 0x8000'0000};
  for (std::uint16_t vector = 0; vector < 5; ++vector) {
    for (std::uint32_t draw = 0; draw < kInputsVaried; ++draw)
      EXPECT_EQ(input_value(vector, draw, kInt, 99, {}), expected[vector]) << vector << " " << draw;
  }
  EXPECT_EQ(input_value(2, 0, kByte, 99, {}), 255U);
}

TEST(VmInputs, TheFirstDrawTakesTheConstantsInTurn) {
  const std::vector<std::int64_t> constants = {-20, 77, 1'000'000};
  EXPECT_EQ(input_value(5, 0, kInt, 3, constants), 0xffff'ffecU);
  EXPECT_EQ(input_value(6, 0, kInt, 3, constants), 77U);
  EXPECT_EQ(input_value(7, 0, kInt, 3, constants), 1'000'000U);
  // An unsigned byte has one of them only.
  EXPECT_EQ(input_value(4, 0, kByte, 3, constants), 77U);
  EXPECT_LE(input_value(5, 0, kByte, 3, constants), 255U);
}

TEST(VmInputs, LaterDrawsMixThemAll) {
  const std::vector<std::int64_t> constants = {123'456};
  std::set<std::uint64_t> values;
  for (std::uint64_t random = 0; random < 1000; ++random)
    values.insert(input_value(40, 1, kInt, random * 0x9e37'79b9'7f4a'7c15, constants));
  for (const std::uint64_t one : {0x0ULL, 0x1ULL, 0xffff'ffffULL, 123'456ULL})
    EXPECT_TRUE(values.contains(one)) << one;
  EXPECT_GT(values.size(), 100U);
}

TEST(VmInputs, FromTheNinthDrawOnTheVectorDoesNotMatter) {
  EXPECT_EQ(input_value(0, kInputsVaried, kInt, 0x1'2345'6789, {}), 0x2345'6789U);
  EXPECT_EQ(input_value(9, kInputsVaried, kInt, 0x1'2345'6789, {}), 0x2345'6789U);
}

}  // namespace
