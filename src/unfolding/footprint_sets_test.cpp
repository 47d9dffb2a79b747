// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unfolding/footprint_sets.hpp"

#include <gtest/gtest.h>

namespace thrum {
namespace {

using Bytes = FootprintSets::Bytes;
using Number = FootprintSets::Number;

Number number(FootprintSets& sets, std::vector<Bytes> accesses) { return sets.number_of(accesses); }

Bytes read(std::uint64_t begin, std::uint64_t end) { return {begin, end, false, false}; }
Bytes write(std::uint64_t begin, std::uint64_t end) { return {begin, end, true, false}; }
Bytes atomic_read(std::uint64_t begin, std::uint64_t end) { return {begin, end, false, true}; }
Bytes atomic_write(std::uint64_t begin, std::uint64_t end) { return {begin, end, true, true}; }

TEST(FootprintSets, EqualAccessesHaveOneNumberInWhateverOrder) {
  FootprintSets sets;
  EXPECT_EQ(number(sets, {}), FootprintSets::kEmpty);
  const Number both = number(sets, {read(8, 12), write(0, 4)});
  EXPECT_EQ(number(sets, {write(0, 4), read(8, 12), read(8, 12)}), both);
  EXPECT_NE(number(sets, {write(0, 4), write(8, 12)}), both);
  EXPECT_NE(number(sets, {write(0, 4), atomic_read(8, 12)}), both);
}

TEST(FootprintSets, NeighboursBecomeOneRange) {
  FootprintSets sets;
  EXPECT_EQ(number(sets, {read(0, 4), read(4, 8), read(2, 6)}), number(sets, {read(0, 8)}));
  EXPECT_NE(number(sets, {read(0, 4), read(5, 8)}), number(sets, {read(0, 8)}));
}

TEST(FootprintSets, ConflictsNeedAWriteAPlainAccessAndAByte) {
  FootprintSets sets;
  const Number reader = number(sets, {read(0, 4)});
  const Number writer = number(sets, {write(3, 5)});
  const Number beside = number(sets, {write(4, 8)});
  const Number loader = number(sets, {atomic_read(0, 4)});
  const Number storer = number(sets, {atomic_write(0, 4)});
  EXPECT_TRUE(sets.conflict(reader, writer));
  EXPECT_TRUE(sets.conflict(writer, reader));
  EXPECT_FALSE(sets.conflict(reader, beside));
  EXPECT_TRUE(sets.conflict(beside, writer));
  EXPECT_TRUE(sets.conflict(writer, writer));
  EXPECT_FALSE(sets.conflict(reader, reader));
  EXPECT_FALSE(sets.conflict(loader, reader));
  EXPECT_TRUE(sets.conflict(loader, writer));
  EXPECT_TRUE(sets.conflict(storer, reader));
  EXPECT_FALSE(sets.conflict(storer, loader));
  EXPECT_FALSE(sets.conflict(FootprintSets::kEmpty, writer));
}

TEST(FootprintSets, LongRangesAreMet) {
  FootprintSets sets;
  const Number block = number(sets, {write(100, 1'000), read(2'000, 2'008), read(3'000, 3'008)});
  EXPECT_TRUE(sets.conflict(number(sets, {read(996, 1'004), read(5'000, 5'008)}), block));
  EXPECT_TRUE(sets.conflict(block, number(sets, {read(0, 8), read(500, 508)})));
  EXPECT_FALSE(sets.conflict(block, number(sets, {read(0, 8), read(1'000, 2'008)})));
}

TEST(FootprintSets, OnePlainlyReadsWhatAnotherWrites) {
  FootprintSets sets;
  const Number reader = number(sets, {read(0, 4), write(8, 12)});
  EXPECT_TRUE(sets.reads_from(reader, number(sets, {write(0, 4)})));
  EXPECT_TRUE(sets.reads_from(reader, number(sets, {atomic_write(0, 4)})));
  EXPECT_FALSE(sets.reads_from(reader, number(sets, {write(8, 12)})));
  EXPECT_FALSE(sets.reads_from(number(sets, {atomic_read(0, 4)}), number(sets, {write(0, 4)})));
}

}  // namespace
}  // namespace thrum
