// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernel/system_call_table.hpp"

#include <gtest/gtest.h>
#include <seccomp.h>
#include <sys/syscall.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>

namespace thrum {
namespace {

// libseccomp knows each call of the kernels up to its own release.
TEST(SystemCallTable, HasEachCallThatLibseccompKnows) {
  constexpr long kNumbersMax = 1000;
  long last = 0;
  for (long number = 0; number < kNumbersMax; ++number) {
    const std::unique_ptr<char, decltype(&std::free)> name(
        seccomp_syscall_resolve_num_arch(SCMP_ARCH_X86_64, static_cast<int>(number)), &std::free);
    const SystemCallRow* row = find_system_call(number);
    if (name != nullptr) {
      last = number;
      ASSERT_NE(row, nullptr) << name.get();
      EXPECT_STREQ(row->name, name.get());
    } else if (row != nullptr) {
      EXPECT_GT(number, last) << row->name << ": libseccomp knows no such call, but younger ones";
    }
  }
  EXPECT_GT(last, SYS_clone3);
  EXPECT_EQ(find_system_call(400), nullptr);
  EXPECT_EQ(find_system_call(1'000'000), nullptr);
}

TEST(SystemCallTable, NamesEachCallOnce) {
  std::set<std::string> names;
  for (const SystemCallRow& row : system_call_table()) EXPECT_TRUE(names.insert(row.name).second) << row.name;
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
