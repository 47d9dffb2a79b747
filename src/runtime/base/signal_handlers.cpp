// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/signal_handlers.hpp"

#include <sys/mman.h>
#include <cstdint>

#include "support/check.hpp"
#include "support/raw_syscall.hpp"

namespace thrum {

namespace {

// One signal stack for each system thread, at fixed addresses. So the program's mappings do not depend on the
// number of system threads.
constexpr std::uint64_t kSignalStacks = 0x2f00'0000'0000;
constexpr std::size_t kSignalStack = 1 << 18;

// The kernel's layout of sigaction; libc's sigaction() belongs to the program.
struct KernelAction {
  void (*handler)(int, siginfo_t*, void*);
  unsigned long flags;
  void (*restorer)();
  unsigned long mask;
};

extern "C" void thrum_signal_return();  // switch.S

}  // namespace

void handle_signal(int signal, void (*handler)(int, siginfo_t*, void*)) {
  constexpr unsigned long kRestorer = 0x04000000;
  KernelAction action{handler, SA_SIGINFO | SA_ONSTACK | SA_NODEFER | kRestorer, thrum_signal_return, 0};
  raw_syscall(SYS_rt_sigaction, signal, reinterpret_cast<long>(&action), 0, sizeof action.mask);
}

void handle_by_default(int signal) {
  KernelAction action{};
  raw_syscall(SYS_rt_sigaction, signal, reinterpret_cast<long>(&action), 0, sizeof action.mask);
}

void use_signal_stack(std::size_t slot) {
  std::uint64_t address = kSignalStacks + slot * kSignalStack;
  // It may be mapped already.
  raw_syscall(SYS_mmap, static_cast<long>(address), kSignalStack, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  stack_t stack{};
  stack.ss_sp = reinterpret_cast<void*>(address);
  stack.ss_size = kSignalStack;
  THRUM_CHECK(raw_syscall(SYS_sigaltstack, reinterpret_cast<long>(&stack), 0) == 0);
}

}  // namespace thrum
