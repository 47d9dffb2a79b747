// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/libc/libc_formats.hpp"

#include <gtest/gtest.h>

#include <string>

namespace thrum {
namespace {

// The conversions of a format, each with its width and precision if it has them; `?` at the end if something
// was not understood.
std::string printed(const char* format) {
  std::string result;
  PrintDirective next;
  while (next_print_directive(format, next)) {
    result += next.conversion;
    if (next.width_is_argument) result += '*';
    if (next.width >= 0) result += std::to_string(next.width);
    if (next.precision_is_argument) result += ".*";
    if (next.precision >= 0 && !next.precision_is_argument) result += "." + std::to_string(next.precision);
    result += ' ';
  }
  return *format == 0 ? result : result + "?";
}

std::string scanned(const char* format, bool old = false) {
  std::string result;
  ScanDirective next;
  while (next_scan_directive(format, old, next)) {
    if (next.suppressed) result += '*';
    if (next.allocates) result += 'm';
    result += next.conversion;
    if (next.width >= 0) result += std::to_string(next.width);
    result += ' ';
  }
  return format && *format == 0 ? result : result + "?";
}

TEST(LibcFormats, FindsWhatIsPrinted) {
  EXPECT_EQ(printed(""), "");
  EXPECT_EQ(printed("no directive"), "");
  EXPECT_EQ(printed("%d, %5s and %-08.3f%%"), "d s5 f8.3 % ");
  EXPECT_EQ(printed("%*d %.*s %*.*f %.s"), "d* s.* f*.* s.0 ");
  EXPECT_EQ(printed("%hhd %lld %zu %jd %td %Lf %lc %ls"), "d d u d d f c s ");
  EXPECT_EQ(printed("%d %1$s %d"), "d ?");
  EXPECT_EQ(printed("%d %"), "d ");
}

TEST(LibcFormats, FindsWhatIsScanned) {
  EXPECT_EQ(scanned("%d %31s%*d"), "d s31 *d ");
  EXPECT_EQ(scanned("%[^]] %[]a-z]x%4c"), "[ [ c4 ");
  EXPECT_EQ(scanned("%ms %m[a-z]"), "ms m[ ");
  EXPECT_EQ(scanned("%as"), "a ");
  EXPECT_EQ(scanned("%as", true), "ms ");
  EXPECT_EQ(scanned("%[a-z"), "?");
}

TEST(LibcFormats, KnowsWhetherTextComesBefore) {
  const char* format = "%d ,%n";
  ScanDirective next;
  ASSERT_TRUE(next_scan_directive(format, false, next));
  EXPECT_FALSE(next.follows_text);
  ASSERT_TRUE(next_scan_directive(format, false, next));
  EXPECT_TRUE(next.follows_text);
}

TEST(LibcFormats, KnowsSizes) {
  auto length = [](const char* format) {
    PrintDirective next;
    EXPECT_TRUE(next_print_directive(format, next));
    return next.length;
  };
  EXPECT_EQ(integer_size(length("%d")), 4u);
  EXPECT_EQ(integer_size(length("%hhd")), 1u);
  EXPECT_EQ(integer_size(length("%hd")), 2u);
  EXPECT_EQ(integer_size(length("%ld")), 8u);
  EXPECT_EQ(integer_size(length("%lld")), 8u);
  EXPECT_EQ(real_size(length("%f")), 4u);
  EXPECT_EQ(real_size(length("%lf")), 8u);
  EXPECT_EQ(real_size(length("%Lf")), sizeof(long double));
}

}  // namespace
}  // namespace thrum
