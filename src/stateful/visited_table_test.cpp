// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stateful/visited_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace thrum {
namespace {

// Whether the key was not there yet.
bool inserts(VisitedTable& table, StateKey key) {
  return table.raise(key, 0) == VisitedTable::Raised::is_new;
}

TEST(VisitedTable, KnowsWhatItWasGiven) {
  VisitedTable table;
  std::mt19937_64 random(1);
  std::vector<StateKey> keys;
  for (int i = 0; i < 20'000; ++i) keys.push_back({random(), random()});
  for (const StateKey key : keys) EXPECT_TRUE(inserts(table, key));
  for (const StateKey key : keys) EXPECT_FALSE(inserts(table, key));
  EXPECT_EQ(table.size(), keys.size());
  table.clear();
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(table.bytes(), 0U);
  EXPECT_TRUE(inserts(table, keys.front()));
}

// Keys that begin their search at few places, at the last one, and the key that stands for a free place.
TEST(VisitedTable, KeysThatAreAlike) {
  VisitedTable table;
  constexpr std::uint64_t kLast = ~std::uint64_t{0};
  for (std::uint64_t i = 0; i < 500; ++i) {
    EXPECT_TRUE(inserts(table, {kLast, i + 2}));
    EXPECT_TRUE(inserts(table, {i % 2, i + 2}));
  }
  EXPECT_TRUE(inserts(table, {0, 0}));
  EXPECT_FALSE(inserts(table, {0, 0}));
  for (std::uint64_t i = 0; i < 500; ++i) {
    EXPECT_FALSE(inserts(table, {kLast, i + 2}));
    EXPECT_FALSE(inserts(table, {i % 2, i + 2}));
  }
}

TEST(VisitedTable, NumbersOnlyRise) {
  VisitedTable table(true);
  std::mt19937_64 random(2);
  std::map<std::uint64_t, std::uint32_t> known;
  for (int i = 0; i < 50'000; ++i) {
    const std::uint64_t name = random() % 5'000;
    const auto number = static_cast<std::uint32_t>(random() % 10);
    const StateKey key{name * 0x9e37'79b9'7f4a'7c15, name << 50};
    const auto [place, is_new] = known.try_emplace(name, number);
    const bool is_higher = !is_new && place->second < number;
    const auto expected = is_new      ? VisitedTable::Raised::is_new
                          : is_higher ? VisitedTable::Raised::higher
                                      : VisitedTable::Raised::no;
    EXPECT_EQ(table.raise(key, number), expected);
    if (is_higher) place->second = number;
  }
  EXPECT_EQ(table.size(), known.size());
}

TEST(VisitedTable, KeepsTheNumberOfTheFirstAdd) {
  VisitedTable table(true);
  std::mt19937_64 random(4);
  std::vector<StateKey> keys;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    keys.push_back({random(), random()});
    EXPECT_EQ(table.number_of(keys.back()), std::nullopt);
    EXPECT_TRUE(table.add(keys.back(), i).is_new);
  }
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    const VisitedTable::Added again = table.add(keys[i], 7);
    EXPECT_FALSE(again.is_new);
    EXPECT_EQ(again.number, i);
    EXPECT_EQ(table.number_of(keys[i]), i);
  }
}

// As visited_table.hpp says; at each size, not only where it has just grown.
TEST(VisitedTable, BytesOfAState) {
  VisitedTable table;
  VisitedTable with_numbers(true);
  std::mt19937_64 random(3);
  for (int i = 1; i <= 400'000; ++i) {
    const StateKey key{random(), random()};
    inserts(table, key);
    with_numbers.raise(key, 1);
    if (i < 100'000) continue;
    ASSERT_LE(table.bytes(), 25U * static_cast<unsigned>(i));
    ASSERT_LE(with_numbers.bytes(), 25U * static_cast<unsigned>(i));
  }
}

}  // namespace
}  // namespace thrum
