// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/computations.hpp"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>

namespace thrum::vm {

namespace {

using Unsigned128 = unsigned __int128;
using Signed128 = __int128;
using Word = std::uint64_t;

Unsigned128 wide(const Word* a) { return Unsigned128{a[1]} << 64 | a[0]; }
Signed128 signed_wide(const Word* a) { return static_cast<Signed128>(wide(a)); }
void put(Word* d, Unsigned128 value) {
  d[0] = static_cast<Word>(value);
  d[1] = static_cast<Word>(value >> 64);
}
void put(Word* d, Signed128 value) { put(d, static_cast<Unsigned128>(value)); }
std::int64_t number(const Word* a) { return static_cast<std::int64_t>(*a); }
void put_signed(Word* d, std::int64_t value) { *d = static_cast<Word>(value); }
std::uint32_t low32(const Word* a) { return static_cast<std::uint32_t>(*a); }
std::uint16_t low16(const Word* a) { return static_cast<std::uint16_t>(*a); }
std::uint8_t low8(const Word* a) { return static_cast<std::uint8_t>(*a); }

float real32(const Word* a) { return std::bit_cast<float>(static_cast<std::uint32_t>(*a)); }
double real64(const Word* a) { return std::bit_cast<double>(*a); }
constexpr std::size_t kLongDoubleBytes = 10;
long double real80(const Word* a) {
  long double value = 0;
  std::memcpy(&value, a, kLongDoubleBytes);
  return value;
}
void put_real(Word* d, float value) { *d = std::bit_cast<std::uint32_t>(value); }
void put_real(Word* d, double value) { *d = std::bit_cast<Word>(value); }
void put_real(Word* d, long double value) {
  d[0] = d[1] = 0;
  std::memcpy(d, &value, kLongDoubleBytes);
}

bool divides(Signed128 a, Signed128 b) {
  constexpr auto kLeast = static_cast<Signed128>(Unsigned128{1} << 127);
  return b != 0 && !(b == -1 && a == kLeast);
}

Word reversed(Word value) {
  Word result = 0;
  for (int i = 0; i < 64; ++i) result |= (value >> i & 1) << (63 - i);
  return result;
}

Unsigned128 joined(Word high, Word low) { return Unsigned128{high} << 64 | low; }
Word high_word(Unsigned128 value) { return static_cast<Word>(value >> 64); }
Word low_word(Unsigned128 value) { return static_cast<Word>(value); }
Unsigned128 swapped(Unsigned128 value) {
  return joined(__builtin_bswap64(low_word(value)), __builtin_bswap64(high_word(value)));
}
Unsigned128 reversed(Unsigned128 value) {
  return joined(reversed(low_word(value)), reversed(high_word(value)));
}
Unsigned128 leading_zeros(Unsigned128 value) {
  const Word high = high_word(value);
  return static_cast<unsigned>(high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(low_word(value)));
}
Unsigned128 trailing_zeros(Unsigned128 value) {
  const Word low = low_word(value);
  return static_cast<unsigned>(low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(high_word(value)));
}
Unsigned128 ones_wide(Word bits) { return ~Unsigned128{0} >> (128 - bits); }

// Of so many bits, at most 128.
template <typename T>
T funnel_left(T high, T low, Word by, Word bits) {
  return by == 0 ? high : (high << by | low >> (bits - by)) & ones_wide(bits);
}
template <typename T>
T funnel_right(T high, T low, Word by, Word bits) {
  return by == 0 ? low : (high << (bits - by) | low >> by) & ones_wide(bits);
}

template <typename T>
T funnel_left(T high, T low, T count) {
  constexpr unsigned kBits = sizeof(T) * 8;
  const auto by = static_cast<unsigned>(count % kBits);
  return by == 0 ? high : static_cast<T>(high << by | low >> (kBits - by));
}
template <typename T>
T funnel_right(T high, T low, T count) {
  constexpr unsigned kBits = sizeof(T) * 8;
  const auto by = static_cast<unsigned>(count % kBits);
  return by == 0 ? low : static_cast<T>(high << (kBits - by) | low >> by);
}

Word ones(Word bits) { return bits >= 64 ? ~Word{0} : (Word{1} << bits) - 1; }
Unsigned128 add_wide(const Word* a, const Word* b) { return Unsigned128{*a} + *b; }
Unsigned128 subtract_wide(const Word* a, const Word* b) { return Unsigned128{*a} - *b; }
Unsigned128 multiply_wide(const Word* a, const Word* b) { return Unsigned128{*a} * *b; }
void overflow(Word* d, Unsigned128 value, Word bits) {
  d[0] = static_cast<Word>(value) & ones(bits);
  d[1] = value != d[0];
}
Signed128 least(Word bits) { return -(Signed128{1} << (bits - 1)); }
Signed128 greatest(Word bits) { return (Signed128{1} << (bits - 1)) - 1; }
void signed_overflow(Word* d, Signed128 value, Word bits) {
  d[0] = static_cast<Word>(value) & ones(bits);
  d[1] = value < least(bits) || value > greatest(bits);
}
void saturate(Word* d, Unsigned128 value, Word bits) {
  d[0] = value > ones(bits) ? ones(bits) : static_cast<Word>(value);
}
void saturate_signed(Word* d, Signed128 value, Word bits) {
  d[0] = static_cast<Word>(std::clamp(value, least(bits), greatest(bits))) & ones(bits);
}

void overflow_wide(Word* d, Unsigned128 value, bool lost, Word bits) {
  put(d, value & ones_wide(bits));
  d[2] = lost || value > ones_wide(bits);
}
Signed128 greatest_wide(Word bits) { return static_cast<Signed128>(ones_wide(bits) >> 1); }
void signed_overflow_wide(Word* d, Signed128 value, bool lost, Word bits) {
  put(d, static_cast<Unsigned128>(value) & ones_wide(bits));
  d[2] = lost || value > greatest_wide(bits) || value < -greatest_wide(bits) - 1;
}
// lost: it does not fit 128 bits, and lies beyond the end on the first operand's side.
void saturate_wide(Word* d, Signed128 value, bool lost, bool is_negative, Word bits) {
  const Signed128 high = greatest_wide(bits), low = -high - 1;
  const Signed128 kept = lost ? (is_negative ? low : high) : std::clamp(value, low, high);
  put(d, static_cast<Unsigned128>(kept) & ones_wide(bits));
}

// As the compiler's library multiplies it.
template <typename Float>
Float power(Float base, int exponent) {
  Float result = 1;
  auto left = static_cast<unsigned>(exponent);
  if (exponent < 0) left = 0 - left;
  for (;;) {
    if ((left & 1) != 0) result *= base;
    left >>= 1;
    if (left == 0) break;
    base *= base;
  }
  return exponent < 0 ? 1 / result : result;
}

// A value that does not fit gives any result (LLVM: poison).
template <typename Integer, typename Float>
Integer to_integer(Float value) {
  constexpr auto kBegin = static_cast<Float>(std::numeric_limits<Integer>::min());
  constexpr auto kEnd = static_cast<Float>(Unsigned128{1} << std::numeric_limits<Integer>::digits);
  if (!(value > kBegin - 1) || value >= kEnd) return std::numeric_limits<Integer>::min();
  return static_cast<Integer>(value);
}

template <typename Float>
void saturate_real(Word* d, Float value, Word bits, bool is_signed) {
  const Signed128 low = is_signed ? least(bits) : 0;
  const Signed128 high = is_signed ? greatest(bits) : static_cast<Signed128>(ones(bits));
  Signed128 result = 0;
  if (std::isnan(value))
    result = 0;
  else if (value <= static_cast<Float>(low))
    result = low;
  else if (value >= static_cast<Float>(high))
    result = high;
  else
    result = static_cast<Signed128>(value);
  *d = static_cast<Word>(result) & ones(bits);
}

// The compiler does not know the function, so it cannot put code in its place that holds for one way of
// rounding only.
template <typename Code>
Code* in_library(Code* code) {
  __asm__("" : "+r"(code));
  return code;
}

// The exponent.
template <typename Float>
Word put_fraction(Word* d, Float value) {
  int exponent = 0;
  put_real(d, std::frexp(value, &exponent));
  return static_cast<std::uint32_t>(exponent);
}

Word rounding_now() {
  switch (std::fegetround()) {
    case FE_TOWARDZERO: return 0;
    case FE_UPWARD: return 2;
    case FE_DOWNWARD: return 3;
    default: return 1;
  }
}

// LLVM's FPClassTest: signalling and quiet NaN, then from -infinity to +infinity.
template <typename Float>
Word class_of(Float value) {
  const bool negative = std::signbit(value);
  switch (std::fpclassify(value)) {
    case FP_NAN: return 2;
    case FP_INFINITE: return negative ? 0x4 : 0x200;
    case FP_NORMAL: return negative ? 0x8 : 0x100;
    case FP_SUBNORMAL: return negative ? 0x10 : 0x80;
    default: return negative ? 0x20 : 0x40;
  }
}

}  // namespace

#define THRUM_VM_COMPUTATION(name, ...)                                       \
  [](Word* d, [[maybe_unused]] const Word* a, [[maybe_unused]] const Word* b, \
     [[maybe_unused]] const Word* c) -> bool {                                \
    __VA_ARGS__;                                                              \
    return true;                                                              \
  },
const ComputationCode kComputations[] = {
#include "vm/computations.def"
};
#undef THRUM_VM_COMPUTATION

}  // namespace thrum::vm
