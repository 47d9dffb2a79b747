// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The formats of printf and scanf, conversion by conversion.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace thrum::vm {

// What stands between the % and the conversion for the size of its argument.
enum class Length : std::uint8_t { none, hh, h, l, ll, long_double, j, z, t };

struct Conversion {
  char kind = 0;  // the letter; '[' for a set of characters
  Length length = Length::none;
  bool suppressed = false;  // scanf: *: nothing is stored
  bool allocates = false;   // scanf: m
  bool width_is_argument = false;
  bool precision_is_argument = false;
  std::optional<std::uint64_t> width;
  std::optional<std::uint64_t> precision;

  // Whether its text is wide: %ls and the like.
  bool is_wide() const { return length == Length::l || kind == 'S' || kind == 'C'; }
};

// The conversions in a format, %% left out. Nothing: one of them takes a numbered argument (%1$d).
template <typename T>
std::optional<std::vector<Conversion>> conversions_of_printf(std::basic_string_view<T> format);
template <typename T>
std::optional<std::vector<Conversion>> conversions_of_scanf(std::basic_string_view<T> format);

// The size of what a conversion of an integer stores.
std::uint64_t size_of_integer(Length length);

}  // namespace thrum::vm
