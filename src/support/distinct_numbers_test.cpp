// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/distinct_numbers.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace thrum {
namespace {

// Each number twice.
void fill(DistinctNumbers& numbers, std::uint64_t seed, std::uint64_t count) {
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t i = 0; i < count; ++i) numbers.insert(mixed(mixed(seed, i), 7));
  }
}

TEST(DistinctNumbers, AreExactWhereThereAreFew) {
  DistinctNumbers numbers;
  EXPECT_TRUE(numbers.insert(5));
  EXPECT_FALSE(numbers.insert(5));
  fill(numbers, 1, 1000);
  EXPECT_EQ(numbers.count(), 1001u);
  EXPECT_TRUE(numbers.is_exact());
}

TEST(DistinctNumbers, AreEstimatedWhereThereAreMany) {
  for (const std::uint64_t count : {200u, 2'000u, 20'000u, 60'000u, 200'000u, 1'000'000u}) {
    DistinctNumbers numbers(100);
    fill(numbers, count, count);
    EXPECT_FALSE(numbers.is_exact());
    EXPECT_NEAR(static_cast<double>(numbers.count()), static_cast<double>(count),
                static_cast<double>(count) * 0.03);
  }
}

TEST(DistinctNumbers, OfTwoAreTheUnion) {
  for (const auto& [first, second] : {std::pair{10u, 10u}, {10u, 5000u}, {5000u, 10u}, {5000u, 5000u}}) {
    DistinctNumbers all(100);
    DistinctNumbers other(100);
    fill(all, 1, first);
    fill(other, 2, second);
    EXPECT_GT(all.merge(other), 0u);
    EXPECT_NEAR(static_cast<double>(all.count()), first + second, (first + second) * 0.03);
    EXPECT_EQ(all.merge(other), 0u);
  }
}

TEST(DistinctNumbers, AreSaved) {
  for (const std::uint64_t count : {10u, 5000u}) {
    DistinctNumbers numbers(100);
    fill(numbers, 1, count);
    ByteWriter out;
    numbers.save(out);
    const std::string bytes = out.take();
    ByteReader in(bytes);
    DistinctNumbers again(100);
    again.load(in);
    EXPECT_TRUE(in.ok());
    EXPECT_EQ(again.count(), numbers.count());
    EXPECT_EQ(again.is_exact(), numbers.is_exact());
    ByteReader part(std::string_view(bytes).substr(0, bytes.size() / 2));
    DistinctNumbers broken(100);
    broken.load(part);
    EXPECT_FALSE(part.ok());
  }
}

}  // namespace
}  // namespace thrum
