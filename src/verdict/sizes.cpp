// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verdict/sizes.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <system_error>

#include "verdict/error.hpp"

namespace thrum {

namespace {

constexpr std::string_view kUnits = "KMGT";

}  // namespace

std::uint64_t read_size(const std::string& option, const std::string& text) {
  std::uint64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit(end, text.data() + text.size());
  std::size_t place = unit.empty() ? 0 : kUnits.find(unit[0]) + 1;
  std::uint64_t most = UINT64_MAX >> (10 * place);
  bool is_unit = unit.size() <= 1 && (unit.empty() || place != 0);
  if (error != std::errc() || !is_unit || number == 0 || number > most) {
    throw UserError(
        fmt::format("{}: '{}' is no size; it takes a number of bytes, or with K, M, G or T "
                    "behind it, such as 500M",
                    option, text));
  }
  return number << (10 * place);
}

std::string size_words(std::uint64_t bytes) {
  std::size_t unit = 0;
  auto size = static_cast<double>(bytes);
  for (; size >= 1024 && unit < kUnits.size(); ++unit) size /= 1024;
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.3g}{}", size, kUnits[unit - 1]);
}

}  // namespace thrum
