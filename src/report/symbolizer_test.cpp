// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/symbolizer.hpp"

#include <gtest/gtest.h>
#include <link.h>

namespace thrum {
namespace {

int g_symbolizer_test_table[4];

// This program's load bias.
std::uint64_t bias() {
  std::uint64_t result = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        *static_cast<std::uint64_t*>(out) = info->dlpi_addr;
        return 1;
      },
      &result);
  return result;
}

__attribute__((noinline)) std::uint64_t where_called() {
  return reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
}

inline __attribute__((always_inline)) std::uint64_t inlined_caller() { return where_called() + 0; }

__attribute__((noinline)) std::uint64_t outer_caller() {
  std::uint64_t address = inlined_caller();
  asm volatile("" : "+r"(address));
  return address;
}

TEST(Symbolizer, InlinedFunctionsWithinTheirCallers) {
  Symbolizer symbolizer({"/proc/self/exe"});
  std::vector<SourceLine> lines = symbolizer.code(0, outer_caller() - bias());
  ASSERT_GE(lines.size(), 2U);
  EXPECT_NE(lines[0].function.find("inlined_caller"), std::string::npos) << lines[0].function;
  EXPECT_NE(lines[1].function.find("outer_caller"), std::string::npos) << lines[1].function;
  EXPECT_TRUE(lines[0].file.ends_with("symbolizer_test.cpp"));
  EXPECT_TRUE(lines[1].file.ends_with("symbolizer_test.cpp"));
  EXPECT_GT(lines[1].line, lines[0].line);
}

TEST(Symbolizer, Variables) {
  Symbolizer symbolizer({"/proc/self/exe"});
  std::uint64_t table = reinterpret_cast<std::uint64_t>(&g_symbolizer_test_table) - bias();
  EXPECT_TRUE(symbolizer.data(0, table).ends_with("g_symbolizer_test_table"));
  EXPECT_TRUE(symbolizer.data(0, table + 8).ends_with("g_symbolizer_test_table+8"));
}

TEST(Symbolizer, UnknownFilesAndAddresses) {
  Symbolizer symbolizer({"/no/such/file", "/etc/passwd"});
  for (std::uint16_t module = 0; module < 3; ++module) {
    EXPECT_TRUE(symbolizer.code(module, 0x1000).empty());
    EXPECT_EQ(symbolizer.data(module, 0x1000), "");
  }
}

TEST(Symbolizer, ShortFunctionNames) {
  const std::pair<const char*, const char*> kNames[] = {
      {"main", "main"},
      {"push(int)", "push"},
      {"Stack<int, std::allocator<int> >::push(int const&)", "Stack<>::push"},
      {"void transfer<int>(Account&, int)", "transfer<>"},
      {"(anonymous namespace)::worker()", "(anonymous namespace)::worker"},
      {"main::{lambda()#1}::operator()() const", "main::{lambda()#1}::operator()"},
      {"run(int)::{lambda(int)#2}::operator()(int) const", "run::{lambda(int)#2}::operator()"},
      {"Key::operator<(Key const&) const", "Key::operator<"},
      {"Key::operator bool() const", "Key::operator bool"},
      {"pool(void const*)::slot", "pool::slot"},
  };
  for (auto [demangled, wanted] : kNames) EXPECT_EQ(short_function_name(demangled), wanted);
}

}  // namespace
}  // namespace thrum
