// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/inputs.hpp"

#include <array>

#include "support/random.hpp"

namespace thrum::vm {

namespace {

std::uint64_t mask_of(InputType type) { return ~std::uint64_t{0} >> (64 - 8 * type.bytes); }

// Whether the type has that value.
bool has_value(InputType type, std::int64_t value) {
  const unsigned rest = 64 - 8 * type.bytes;
  const auto bits = static_cast<std::uint64_t>(value) & mask_of(type);
  if (!type.is_signed) return value >= 0 && static_cast<std::uint64_t>(value) == bits;
  return static_cast<std::int64_t>(bits << rest) >> rest == value;
}

}  // namespace

std::uint64_t input_value(std::uint16_t vector, std::uint32_t draw, InputType type, std::uint64_t random,
                          std::span<const std::int64_t> constants) {
  const std::uint64_t mask = mask_of(type);
  if (draw >= kInputsVaried) return random & mask;
  const std::array<std::uint64_t, 5> usual = {0, 1, mask, mask >> 1, (mask >> 1) + 1};
  const std::size_t usual_count = type.is_signed ? 5 : 3;
  if (vector < usual_count) return usual[vector];
  Random numbers(random + vector);
  // A thread's first draw takes the constants in turn, its others mix all values.
  std::uint64_t number = vector - usual_count;
  if (draw != 0) {
    number = numbers.below(usual_count + constants.size() + kInputVectors / 8);
    if (number < usual_count) return usual[number];
    number -= usual_count;
  }
  if (number < constants.size() && has_value(type, constants[number]))
    return static_cast<std::uint64_t>(constants[number]) & mask;
  // Sizes and counts are small numbers.
  Random own(numbers.next());
  constexpr std::uint64_t kSmall = 256;
  return (own.below(2) == 0 ? own.below(kSmall) : own.next()) & mask;
}

}  // namespace thrum::vm
