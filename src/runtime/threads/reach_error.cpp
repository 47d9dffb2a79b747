// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/threads/reach_error.hpp"

#include <elf.h>
#include <sys/mman.h>
#include <algorithm>
#include <cstring>
#include <vector>

#include "runtime/base/page.hpp"
#include "runtime/base/symbol_tables.hpp"
#include "support/raw_syscall.hpp"

namespace thrum {

namespace {

constexpr unsigned char kTrap = 0xcc;

constinit std::vector<std::uint64_t> g_traps;

// The names of void reach_error(): in C, in C++, and static in a file.
bool names_it(const char* name) {
  constexpr const char* kNames[] = {"reach_error", "_Z11reach_errorv", "_ZL11reach_errorv",
                                    "_ZN12_GLOBAL__N_111reach_errorEv"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [name](const char* one) { return std::strcmp(name, one) == 0; });
}

void set_trap(const char* name, const CodeRange& range) {
  if (!names_it(name) || std::find(g_traps.begin(), g_traps.end(), range.begin) != g_traps.end()) return;
  const auto page = static_cast<long>(range.begin & ~(kPage - 1));
  // The page stays executable meanwhile: it may hold the function to which this one returns.
  if (raw_syscall(SYS_mprotect, page, kPage, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return;
  *reinterpret_cast<unsigned char*>(range.begin) = kTrap;
  raw_syscall(SYS_mprotect, page, kPage, PROT_READ | PROT_EXEC);
  g_traps.push_back(range.begin);
}

}  // namespace

void trap_reach_error() { visit_symbols(STT_FUNC, set_trap); }

bool is_reach_error(std::uint64_t code) {
  return std::find(g_traps.begin(), g_traps.end(), code - 1) != g_traps.end();
}

}  // namespace thrum
