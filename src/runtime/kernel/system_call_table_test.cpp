// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernel/system_call_table.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace thrum {
namespace {

TEST(SystemCallTable, IsSortedAndNamesEachOnce) {
  std::set<std::string> names;
  long last = -1;
  for (const SystemCallRow& row : system_call_table()) {
    EXPECT_GT(row.number, last) << row.name;
    last = row.number;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
  }
}

TEST(SystemCallTable, LeavesNoGapAmongTheOldCalls) {
  constexpr long kLastOfX86Only = 334;  // from 424 on the numbers are those of all architectures
  for (long number = 0; number <= kLastOfX86Only; ++number)
    EXPECT_NE(find_system_call(number), nullptr) << number;
  for (long number = 424; number <= 450; ++number) EXPECT_NE(find_system_call(number), nullptr) << number;
  EXPECT_EQ(find_system_call(400), nullptr);
  EXPECT_EQ(find_system_call(1'000'000), nullptr);
}

TEST(SystemCallTable, KnowsCallsByTheirNumbers) {
  EXPECT_STREQ(find_system_call(SYS_openat)->name, "openat");
  EXPECT_STREQ(find_system_call(SYS_clone3)->name, "clone3");
  EXPECT_EQ(find_system_call(SYS_fork)->treatment, Treatment::refused);
}

TEST(SystemCallTable, PageIsUpToDate) {
  std::ifstream in(THRUM_SOURCE_DIR "/docs/system-calls.md");
  std::string page(std::istreambuf_iterator<char>(in), {});
  EXPECT_TRUE(page == system_calls_page()) << "docs/system-calls.md should read:\n" << system_calls_page();
}

}  // namespace
}  // namespace thrum
