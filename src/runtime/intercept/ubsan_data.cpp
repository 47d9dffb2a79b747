// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/intercept/ubsan_data.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "runtime/base/world.hpp"

namespace thrum {

namespace {

using Wide = decltype(UbsanNumber::integer);
__extension__ using UnsignedWide = unsigned __int128;

constexpr unsigned kWordBits = 64;

Wide read_integer(const UbsanType& type, UbsanValue value) {
  unsigned bits = type.bits();
  if (bits > kWordBits) {
    Wide wide = 0;
    std::memcpy(&wide, reinterpret_cast<const void*>(value), std::min<std::size_t>(bits / 8, sizeof wide));
    return wide;
  }
  std::uint64_t word = bits == kWordBits ? value : value & ((std::uint64_t{1} << bits) - 1);
  bool negative = type.is_signed() && (word >> (bits - 1) & 1) != 0;
  if (!negative) return static_cast<Wide>(word);
  return static_cast<Wide>(word) - (static_cast<Wide>(1) << bits);
}

long double read_float(const UbsanType& type, UbsanValue value) {
  constexpr unsigned kFloatBits = 32;
  if (type.bits() == kFloatBits) {
    float number = 0;
    std::memcpy(&number, &value, sizeof number);
    return static_cast<long double>(number);
  }
  if (type.bits() == kWordBits) {
    double number = 0;
    std::memcpy(&number, &value, sizeof number);
    return static_cast<long double>(number);
  }
  long double number = 0;
  std::memcpy(&number, reinterpret_cast<const void*>(value), sizeof number);
  return number;
}

}  // namespace

UbsanNumber::UbsanNumber(const UbsanType& type, UbsanValue value)
    : is_signed(type.is_signed()), is_float(type.kind == UbsanType::kFloat) {
  if (is_float) {
    real = read_float(type, value);
  } else if (type.kind == UbsanType::kInteger) {
    integer = read_integer(type, value);
  }
}

UbsanText& UbsanText::operator<<(const char* text) {
  std::size_t length = std::min(std::strlen(text), kSizeMax - size_);
  std::memcpy(text_ + size_, text, length);
  size_ += length;
  return *this;
}

UbsanText& UbsanText::operator<<(std::uint64_t number) {
  char buffer[24];
  char* digit = buffer + sizeof buffer;
  *--digit = '\0';
  do {
    *--digit = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  return *this << digit;
}

UbsanText& UbsanText::operator<<(const UbsanNumber& number) {
  char buffer[64];
  if (number.is_float) {
    std::snprintf(buffer, sizeof buffer, "%Lg", number.real);
    return *this << buffer;
  }
  bool negative = number.negative();
  auto bits = static_cast<UnsignedWide>(number.integer);
  UnsignedWide magnitude = negative ? -bits : bits;
  if (magnitude >> (negative ? kWordBits - 1 : kWordBits) != 0 &&
      !(negative && -bits == UnsignedWide{1} << 63)) {
    std::snprintf(buffer, sizeof buffer, "0x%016llx%016llx",
                  static_cast<unsigned long long>(bits >> kWordBits), static_cast<unsigned long long>(bits));
    return *this << buffer;
  }
  return *this << (negative ? "-" : "") << static_cast<std::uint64_t>(magnitude);
}

UbsanText& UbsanText::address(std::uintptr_t address) {
  if (searching()) return *this;
  char buffer[24];
  std::snprintf(buffer, sizeof buffer, " 0x%012llx", static_cast<unsigned long long>(address));
  return *this << buffer;
}

}  // namespace thrum
