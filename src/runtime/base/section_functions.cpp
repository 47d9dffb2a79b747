// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/section_functions.hpp"

#include <elf.h>
#include <cstring>
#include <vector>

#include "runtime/base/symbol_tables.hpp"

namespace thrum {

std::uint32_t section_function_count = 0;

namespace {

constexpr char kPrefix[] = "__VERIFIER_atomic_";

constinit std::vector<CodeRange> g_ranges;

bool names_section(const char* name) {
  constexpr std::size_t kLength = sizeof kPrefix - 1;
  if (std::strncmp(name, kPrefix, kLength) != 0) return false;
  return std::strcmp(name + kLength, "begin") != 0 && std::strcmp(name + kLength, "end") != 0;
}

}  // namespace

void find_section_functions() {
  g_ranges.clear();
  visit_symbols(STT_FUNC, [](const char* name, const CodeRange& range) {
    if (names_section(name)) g_ranges.push_back(range);
  });
  section_function_count = static_cast<std::uint32_t>(g_ranges.size());
}

bool in_section_function(std::uint64_t code) {
  for (const CodeRange& range : g_ranges) {
    if (range.holds(code)) return true;
  }
  return false;
}

}  // namespace thrum
