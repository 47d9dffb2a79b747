// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/distinct_numbers.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace thrum {

bool DistinctNumbers::insert(std::uint64_t number) {
  if (!is_exact()) return note(number);
  if (!numbers_.insert(number)) return false;
  if (numbers_.size() > exact_max_) estimate();
  return true;
}

bool DistinctNumbers::note(std::uint64_t number) {
  std::uint8_t& most = registers_[number >> (64 - kRegisterBits)];
  // The bit below the register's own bits ends the zeros at the latest.
  const std::uint64_t rest = number << kRegisterBits | std::uint64_t{1} << (kRegisterBits - 1);
  const auto zeros = static_cast<std::uint8_t>(std::countl_zero(rest) + 1);
  if (zeros <= most) return false;
  most = zeros;
  return true;
}

void DistinctNumbers::estimate() {
  registers_.assign(kRegisters, 0);
  numbers_.for_each([&](std::uint64_t number) { note(number); });
  numbers_ = NumberSet();
}

std::uint64_t DistinctNumbers::count() const {
  if (is_exact()) return numbers_.size();
  constexpr double kCount = kRegisters;
  constexpr double kBias = 0.7213 / (1 + 1.079 / kCount);
  constexpr double kFew = 2.5;  // numbers for each register: then the empty ones say more
  double sum = 0;
  double empty = 0;
  for (const std::uint8_t most : registers_) {
    sum += std::ldexp(1.0, -most);
    empty += most == 0 ? 1 : 0;
  }
  const double count = kBias * kCount * kCount / sum;
  if (count > kFew * kCount || empty == 0) return static_cast<std::uint64_t>(count + 0.5);
  return static_cast<std::uint64_t>(kCount * std::log(kCount / empty) + 0.5);
}

std::uint64_t DistinctNumbers::merge(const DistinctNumbers& other) {
  std::uint64_t fresh = 0;
  if (other.is_exact()) {
    other.numbers_.for_each([&](std::uint64_t number) { fresh += insert(number) ? 1U : 0U; });
    return fresh;
  }
  if (is_exact()) estimate();
  for (std::size_t i = 0; i < kRegisters; ++i) {
    fresh += other.registers_[i] > registers_[i] ? 1U : 0U;
    registers_[i] = std::max(registers_[i], other.registers_[i]);
  }
  return fresh;
}

void DistinctNumbers::clear() {
  numbers_ = NumberSet();
  registers_.clear();
}

void DistinctNumbers::save(ByteWriter& out) const {
  out.put(is_exact());
  if (!is_exact()) return out.put_all(registers_);
  out.put(std::uint64_t{numbers_.size()});
  numbers_.for_each([&](std::uint64_t number) {
    out.put(number);
    out.settle();
  });
}

void DistinctNumbers::load(ByteReader& in) {
  if (!in.get<bool>()) {
    in.get_all(registers_);
    if (registers_.size() != kRegisters) {
      registers_.clear();
      in.fail();
    }
    return;
  }
  const auto count = in.get<std::uint64_t>();
  numbers_.reserve(std::min<std::uint64_t>(count, in.left() / sizeof count));
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) numbers_.insert(in.get<std::uint64_t>());
}

}  // namespace thrum
