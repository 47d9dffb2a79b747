// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/fiber.hpp"

#include <sys/auxv.h>

#include "support/raw_syscall.hpp"

namespace thrum {

SwitchBy thrum_switch_by = SwitchBy::arch_prctl;
CallerState thrum_caller;
constinit Forever<SharedBlock> the_shared_block;

namespace {

// Tells a system thread where to go on. It lies at the same distance from each thread's control block, so
// that switch.S finds the mailbox of any thread.
struct Mailbox {
  std::uint32_t full;
  void* stack_pointer;
};

}  // namespace

extern "C" {
__attribute__((tls_model("initial-exec"), visibility("hidden"),
               used)) thread_local constinit Mailbox thrum_mailbox = {};
}

Context new_context(void* top, void (*body)(), std::uint64_t modes) {
  // As thrum_fiber_switch leaves it: modes, r15, r14, r13, r12, rbx, rbp, return address.
  auto* slot = reinterpret_cast<std::uint64_t*>(reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t{15});
  *--slot = 0;
  *--slot = 0;
  *--slot = reinterpret_cast<std::uint64_t>(&thrum_fiber_start);
  *--slot = 0;                                      // rbp
  *--slot = reinterpret_cast<std::uint64_t>(body);  // rbx
  for (int i = 0; i < 4; ++i) *--slot = 0;
  *--slot = modes;
  return {slot};
}

void interrupt(Context& context) {
  // A frame as thrum_fiber_switch leaves it, below the fiber's present one.
  auto* frame = static_cast<std::uint64_t*>(context.stack_pointer);
  auto* slot = frame;
  *--slot = reinterpret_cast<std::uint64_t>(&thrum_signal_entry);
  *--slot = 0;                                       // rbp
  *--slot = reinterpret_cast<std::uint64_t>(frame);  // rbx
  for (int i = 0; i < 4; ++i) *--slot = 0;
  *--slot = *frame;  // modes
  context.stack_pointer = slot;
}

std::uint64_t current_fs_base() {
  std::uint64_t base;
  asm("mov %%fs:0, %0" : "=r"(base));  // the ABI stores the base at address 0 of the block
  return base;
}

namespace {

long set_fs_base(std::uint64_t block) {
  constexpr long kSetFs = 0x1002;
  return raw_syscall(SYS_arch_prctl, kSetFs, static_cast<long>(block));
}

}  // namespace

void restore_fs_base(std::uint64_t own_block) {
  if (thrum_switch_by == SwitchBy::arch_prctl) set_fs_base(own_block);
  if (thrum_switch_by == SwitchBy::exchange) set_fs_base(the_shared_block.value.block());
}

bool fs_base_is_ruined(std::uint64_t own_block) {
  if (thrum_switch_by != SwitchBy::wrfsbase) return false;
  std::uint64_t base;
  asm("rdfsbase %0" : "=r"(base));
  return base != own_block;
}

void choose_switch(bool system_threads, bool fsgsbase) {
  constexpr unsigned long kHwcap2Fsgsbase = 2;
  if (system_threads) {
    thrum_switch_by = SwitchBy::baton;
  } else if (fsgsbase && (getauxval(AT_HWCAP2) & kHwcap2Fsgsbase) != 0) {
    thrum_switch_by = SwitchBy::wrfsbase;
  } else {
    // The system may forbid it: try, by setting the present value.
    bool allowed = set_fs_base(current_fs_base()) == 0;
    thrum_switch_by = allowed ? SwitchBy::arch_prctl : SwitchBy::baton;
  }
}

}  // namespace thrum
