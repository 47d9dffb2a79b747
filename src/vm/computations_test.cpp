// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/computations.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace thrum::vm {
namespace {

using Word = std::uint64_t;

struct Pair {
  Word low = 0;
  Word high = 0;
  friend bool operator==(const Pair&, const Pair&) = default;
};

Pair run(Computation computation, Pair a, Pair b = {}, Pair c = {}) {
  Word d[2] = {};
  const Word in[3][2] = {{a.low, a.high}, {b.low, b.high}, {c.low, c.high}};
  EXPECT_TRUE(kComputations[static_cast<int>(computation)](d, in[0], in[1], in[2]));
  return {d[0], d[1]};
}

bool fails(Computation computation, Pair a, Pair b) {
  Word d[2] = {};
  const Word in[2][2] = {{a.low, a.high}, {b.low, b.high}};
  return !kComputations[static_cast<int>(computation)](d, in[0], in[1], in[1]);
}

Word of(double value) { return std::bit_cast<Word>(value); }

TEST(Computations, CalculateWith128Bits) {
  EXPECT_EQ(run(Computation::add128, {~Word{0}, 1}, {1, 0}), (Pair{0, 2}));
  EXPECT_EQ(run(Computation::sub128, {0, 1}, {1, 0}), (Pair{~Word{0}, 0}));
  EXPECT_EQ(run(Computation::mul128, {Word{1} << 63, 0}, {4, 0}), (Pair{0, 2}));
  EXPECT_EQ(run(Computation::ashr128, {0, Word{1} << 63}, {127, 0}), (Pair{~Word{0}, ~Word{0}}));
  EXPECT_TRUE(fails(Computation::udiv128, {1, 0}, {0, 0}));
  EXPECT_TRUE(fails(Computation::sdiv128, {0, Word{1} << 63}, {~Word{0}, ~Word{0}}));
  EXPECT_EQ(run(Computation::slt128, {0, Word{1} << 63}, {0, 0}).low, 1U);
  EXPECT_EQ(run(Computation::ult128, {0, Word{1} << 63}, {0, 0}).low, 0U);
}

TEST(Computations, TellOverflow) {
  EXPECT_EQ(run(Computation::uadd_overflow, {255}, {1}, {8}), (Pair{0, 1}));
  EXPECT_EQ(run(Computation::uadd_overflow, {254}, {1}, {8}), (Pair{255, 0}));
  EXPECT_EQ(run(Computation::usub_overflow, {0}, {1}, {64}), (Pair{~Word{0}, 1}));
  EXPECT_EQ(run(Computation::sadd_overflow, {127}, {1}, {8}), (Pair{128, 1}));
  EXPECT_EQ(run(Computation::smul_overflow, {static_cast<Word>(-64)}, {2}, {8}), (Pair{128, 0}));
  EXPECT_EQ(run(Computation::uadd_saturated, {250}, {10}, {8}).low, 255U);
  EXPECT_EQ(run(Computation::ssub_saturated, {static_cast<Word>(-128)}, {1}, {8}).low, 128U);
}

TEST(Computations, ConvertFloats) {
  EXPECT_EQ(run(Computation::f64_to_signed, {of(-2.75)}).low, static_cast<Word>(-2));
  EXPECT_EQ(run(Computation::f64_to_unsigned, {of(0x1p63)}).low, Word{1} << 63);
  EXPECT_EQ(run(Computation::signed_to_f64, {static_cast<Word>(-3)}).low, of(-3));
  EXPECT_EQ(run(Computation::f64_to_signed_saturated, {of(1e9)}, {}, {16}).low, 32'767U);
  EXPECT_EQ(run(Computation::f64_to_signed_saturated, {of(NAN)}, {}, {16}).low, 0U);
  EXPECT_EQ(run(Computation::f64_to_unsigned_saturated, {of(-1)}, {}, {16}).low, 0U);
  const Pair wide = run(Computation::f64_to_f80, {of(1.5)});
  EXPECT_EQ(run(Computation::f80_to_f64, run(Computation::add80, wide, wide)).low, of(3));
}

TEST(Computations, SaturateWith128Bits) {
  const Pair most = {~Word{0}, ~Word{0} >> 1}, least = {0, Word{1} << 63}, minus_one = {~Word{0}, ~Word{0}};
  EXPECT_EQ(run(Computation::sadd_saturated128, most, {1, 0}, {128}), most);
  EXPECT_EQ(run(Computation::sadd_saturated128, least, minus_one, {128}), least);
  EXPECT_EQ(run(Computation::sadd_saturated128, {~Word{0}, 0}, {1, 0}, {65}), (Pair{~Word{0}, 0}));
  EXPECT_EQ(run(Computation::uadd_saturated128, {~Word{0}, 1}, {1, 0}, {65}), (Pair{~Word{0}, 1}));
}

TEST(Computations, MoveBits) {
  EXPECT_EQ(run(Computation::fshl32, {0x80000001}, {0x40000000}, {1}).low, 2U);
  EXPECT_EQ(run(Computation::fshr8, {1}, {0}, {1}).low, 128U);
  EXPECT_EQ(run(Computation::fshl64, {1}, {2}, {64}).low, 1U);
  EXPECT_EQ(run(Computation::bit_reverse, {1}).low, Word{1} << 63);
  EXPECT_EQ(run(Computation::bswap128, {1, 0}, {}, {128}), (Pair{0, Word{1} << 56}));
  EXPECT_EQ(run(Computation::bswap_any, {1}, {}, {48}).low, Word{1} << 40);
  EXPECT_EQ(run(Computation::bit_reverse128, {1, 0}, {}, {65}), (Pair{0, 1}));
  EXPECT_EQ(run(Computation::ctlz128, {1, 0}, {}, {65}).low, 64U);
  EXPECT_EQ(run(Computation::cttz128, {0, 0}, {}, {65}).low, 65U);
  EXPECT_EQ(run(Computation::fshl_any, {1}, {Word{1} << 32}, {1, 33}).low, 3U);
  EXPECT_EQ(run(Computation::fshr_wide, {1, 0}, {0, 0}, {1, 128}), (Pair{0, Word{1} << 63}));
}

TEST(Computations, ClassesOfFloats) {
  constexpr Word kNan = 3, kMinusInfinity = 4, kPlusZero = 0x40;
  EXPECT_EQ(run(Computation::class64, {of(NAN)}, {kNan}).low, 1U);
  EXPECT_EQ(run(Computation::class64, {of(-INFINITY)}, {kMinusInfinity}).low, 1U);
  EXPECT_EQ(run(Computation::class64, {of(0.0)}, {kPlusZero}).low, 1U);
  EXPECT_EQ(run(Computation::class64, {of(-0.0)}, {kPlusZero}).low, 0U);
}

}  // namespace
}  // namespace thrum::vm
