// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/symbolizer.hpp"
#include "report/debug_names.hpp"
#include "report/variables.hpp"

#include <gtest/gtest.h>
#include <link.h>

#include <array>
#include <atomic>
#include <mutex>
#include <utility>

namespace thrum {
namespace {

const std::string kThisProgram = "/proc/self/exe";

int g_symbolizer_test_table[4];

struct Slot {
  std::uint64_t value;
  bool full;
};

struct Base {
  int count;
};

struct Parts : Base {
  std::mutex mutex;
  std::array<Slot, 2> slots;
  int matrix[2][3];
  std::pair<int, int> range;
  union {
    std::uint64_t large;
    std::uint16_t small;
  };
  std::atomic<Slot*> last;
};
Parts g_parts;

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
  Symbolizer symbolizer;
  std::vector<SourceLine> lines = symbolizer.code(kThisProgram, outer_caller() - bias());
  ASSERT_GE(lines.size(), 2U);
  EXPECT_NE(lines[0].function.find("inlined_caller"), std::string::npos) << lines[0].function;
  EXPECT_NE(lines[1].function.find("outer_caller"), std::string::npos) << lines[1].function;
  EXPECT_TRUE(lines[0].file.ends_with("symbolizer_test.cpp"));
  EXPECT_TRUE(lines[1].file.ends_with("symbolizer_test.cpp"));
  EXPECT_GT(lines[1].line, lines[0].line);
}

__attribute__((noinline)) std::uint64_t caller_in_a_lambda() {
  std::uint64_t address = 0;
  const auto body = [&]() __attribute__((noinline, used)) {
    address = inlined_caller();
    asm volatile("" : "+r"(address));
  };
  body();
  return address;
}

TEST(Symbolizer, InlinedFunctionsWithinALambda) {
  Symbolizer symbolizer;
  std::vector<SourceLine> lines = symbolizer.code(kThisProgram, caller_in_a_lambda() - bias());
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_NE(lines[0].function.find("inlined_caller"), std::string::npos) << lines[0].function;
  EXPECT_EQ(lines[1].function, "lambda");
  EXPECT_TRUE(lines[1].file.ends_with("symbolizer_test.cpp"));
  EXPECT_GT(lines[1].line, lines[0].line);
}

TEST(Symbolizer, Variables) {
  Symbolizer symbolizer;
  std::uint64_t table = reinterpret_cast<std::uint64_t>(&g_symbolizer_test_table) - bias();
  EXPECT_EQ(symbolizer.data(kThisProgram, table), "thrum::g_symbolizer_test_table[0]");
  EXPECT_TRUE(symbolizer.data(kThisProgram, table + 8).ends_with("g_symbolizer_test_table[2]"));
  EXPECT_TRUE(symbolizer.data(kThisProgram, table + 9).ends_with("g_symbolizer_test_table[2]+1"));
}

TEST(Symbolizer, PartsOfVariables) {
  Symbolizer symbolizer;
  auto name = [&](const void* address, std::uint32_t size) {
    std::string whole =
        symbolizer.data(kThisProgram, reinterpret_cast<std::uint64_t>(address) - bias(), size);
    return whole.substr(whole.rfind(':') + 1);
  };
  const Parts& parts = g_parts;
  EXPECT_EQ(name(&parts.mutex, 0), "g_parts.mutex") << "the library's own classes are not taken apart";
  EXPECT_EQ(name(&parts.count, 4), "g_parts.count");
  EXPECT_EQ(name(&parts.slots[1].full, 1), "g_parts.slots[1].full");
  EXPECT_EQ(name(&parts.slots[1].value, 8), "g_parts.slots[1].value");
  EXPECT_EQ(name(&parts.matrix[1][2], 4), "g_parts.matrix[1][2]");
  EXPECT_EQ(name(&parts.range.second, 4), "g_parts.range.second");
  EXPECT_EQ(name(&parts.small, 2), "g_parts.small") << "of a union the member that fits";
  EXPECT_EQ(name(&parts.large, 8), "g_parts.large");
  EXPECT_EQ(name(&parts.last, 8), "g_parts.last");
  EXPECT_EQ(name(&parts, kPointer), "g_parts");
  EXPECT_EQ(name(&parts.slots[1], kPointer), "g_parts.slots[1]");
  EXPECT_EQ(name(&parts.slots[1].full, kPointer), "g_parts.slots[1].full");
}

// The frame is this function's own; where it lies the compiler says, as the unwinder would.
__attribute__((noinline)) std::uint64_t frame_of(StackFrame& frame, const void* top) {
  auto address = [&](const void* pointer) {
    return reinterpret_cast<std::uint64_t>(top) - reinterpret_cast<std::uint64_t>(pointer);
  };
  auto* mine = static_cast<char*>(__builtin_frame_address(0));
  char* caller = *reinterpret_cast<char**>(mine);
  frame.code = {Place::Space::module, 0, 0, where_called() - bias()};
  frame.code.offset = reinterpret_cast<std::uint64_t>(__builtin_return_address(0)) - bias();
  frame.stack_pointer = address(mine + 16);  // behind this function's return address
  frame.base_pointer = address(caller);
  frame.end = address(caller + 16);
  return 0;
}

__attribute__((noinline, optimize("no-omit-frame-pointer"))) std::string name_of_local(
    Symbolizer& symbolizer) {
  Parts local;
  asm volatile("" : : "r"(&local) : "memory");
  StackFrame frame;
  const char* top = static_cast<const char*>(__builtin_frame_address(0)) + (1 << 20);
  frame_of(frame, top);
  auto distance = static_cast<std::uint64_t>(top - reinterpret_cast<const char*>(&local.slots[1].full));
  return symbolizer.local(kThisProgram, frame, distance, 1);
}

TEST(Symbolizer, Locals) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer keeps locals elsewhere";
#endif
  Symbolizer symbolizer;
  EXPECT_EQ(name_of_local(symbolizer), "name_of_local::local.slots[1].full");
}

TEST(Symbolizer, UnknownFilesAndAddresses) {
  Symbolizer symbolizer;
  for (const char* module : {"/no/such/file", "/etc/passwd", ""}) {
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
