// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drive/inputs.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

namespace thrum {
namespace {

constexpr InputType kInt{4, true};
constexpr InputType kUnsigned{4, false};

std::set<std::uint64_t> tried(InputType type, std::uint32_t draw,
                              const std::vector<std::int64_t>& constants) {
  std::set<std::uint64_t> values;
  for (std::uint16_t vector = 0; vector < kInputVectors; ++vector)
    values.insert(input_value(vector, draw, type, 7, constants));
  return values;
}

TEST(Inputs, TryTheEndsOfTheTypeAndTheConstants) {
  const std::set<std::uint64_t> ints = tried(kInt, 0, {25, -7});
  for (std::uint64_t value : {0u, 1u, 0xffffffffu, 0x7fffffffu, 0x80000000u, 25u, 0xfffffff9u})
    EXPECT_EQ(ints.count(value), 1u) << value;
  const std::set<std::uint64_t> unsigneds = tried(kUnsigned, 0, {25, -7});
  for (std::uint64_t value : {0u, 1u, 0xffffffffu, 25u}) EXPECT_EQ(unsigneds.count(value), 1u) << value;
  EXPECT_EQ(tried({8, true}, 0, {}).count(std::uint64_t{1} << 63), 1u);
  EXPECT_GT(ints.size(), kInputVectors - 4u);
}

TEST(Inputs, KeepToTheirType) {
  for (std::uint32_t bytes : {1u, 2u, 4u}) {
    for (std::uint32_t draw : {0u, 1u, 7u}) {
      for (std::uint64_t value : tried({bytes, true}, draw, {300, 70000, -70000}))
        EXPECT_LT(value, std::uint64_t{1} << 8 * bytes);
    }
  }
  // 70,000 is no value of 16 bits, and must not become equal to another constant.
  EXPECT_EQ(input_value(3, 0, {2, false}, 7, std::vector<std::int64_t>{5}), 5u);
}

TEST(Inputs, LaterDrawsMixConstantsWithOtherNumbers) {
  const std::set<std::uint64_t> values = tried(kInt, 3, {25, 26});
  EXPECT_EQ(values.count(25), 1u);
  EXPECT_EQ(values.count(26), 1u);
  EXPECT_EQ(values.count(0), 1u);
  EXPECT_GT(values.size(), 20u);
}

TEST(Inputs, AreFunctionsOfVectorDrawAndSeed) {
  for (std::uint16_t vector = 0; vector < kInputVectors; ++vector)
    EXPECT_EQ(input_value(vector, 2, kInt, 11, {}), input_value(vector, 2, kInt, 11, {}));
}

}  // namespace
}  // namespace thrum
