// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/formats.hpp"

#include <gtest/gtest.h>

#include <string>

namespace thrum::vm {
namespace {

// Each conversion's letters that matter: widths and precisions from arguments as *.
std::string shown(const std::optional<std::vector<Conversion>>& all) {
  if (!all) return "numbered";
  std::string text;
  for (const Conversion& one : *all) {
    constexpr const char* kLengths[] = {"", "hh", "h", "l", "ll", "L", "j", "z", "t"};
    text += "%";
    if (one.suppressed) text += "-";
    if (one.width_is_argument) text += "*";
    if (one.width) text += std::to_string(*one.width);
    if (one.precision_is_argument) text += ".*";
    if (one.precision) text += "." + std::to_string(*one.precision);
    if (one.allocates) text += "m";
    text += kLengths[static_cast<std::size_t>(one.length)];
    text += one.kind;
  }
  return text;
}
std::string printf_of(std::string_view format) { return shown(conversions_of_printf(format)); }
std::string scanf_of(std::string_view format) { return shown(conversions_of_scanf(format)); }

TEST(Formats, ConversionsOfPrintf) {
  EXPECT_EQ(printf_of(""), "");
  EXPECT_EQ(printf_of("100%% of %d, %5.3s %-08.2Lf%c"), "%d%5.3s%8.2Lf%c");
  EXPECT_EQ(printf_of("%*.*f %.s %+ld %hhx %zu %jd %tx %lls"), "%*.*f%.0s%ld%hhx%zu%jd%tx%lls");
  EXPECT_EQ(printf_of("%%%d%%%"), "%d");
  EXPECT_EQ(printf_of("%5"), "");
  EXPECT_EQ(printf_of("%1$d"), "numbered");
  EXPECT_EQ(printf_of("%*1$d"), "numbered");
  EXPECT_EQ(shown(conversions_of_printf(std::wstring_view(L"\x416 %ls %d"))), "%ls%d");
}

TEST(Formats, ConversionsOfScanf) {
  EXPECT_EQ(scanf_of("%d %5s %*d %% %lf"), "%d%5s%-d%lf");
  EXPECT_EQ(scanf_of("%[abc] %[]%d] %[^]x]%n"), "%[%[%[%n");
  EXPECT_EQ(scanf_of("%ms %3lc"), "%ms%3lc");
  EXPECT_EQ(scanf_of("%2$d"), "numbered");
}

TEST(Formats, SizesOfIntegers) {
  EXPECT_EQ(size_of_integer(Length::hh), 1U);
  EXPECT_EQ(size_of_integer(Length::h), 2U);
  EXPECT_EQ(size_of_integer(Length::none), 4U);
  EXPECT_EQ(size_of_integer(Length::ll), 8U);
  EXPECT_EQ(size_of_integer(Length::z), 8U);
}

}  // namespace
}  // namespace thrum::vm
