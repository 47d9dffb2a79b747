// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fibers: threads of the program under test that take turns on one system thread. A switch saves the
// registers that a call preserves and moves the stack pointer and the thread control block (FS base), so that
// each fiber has its own thread-local storage.
//
// In the other mode each thread has a system thread, and they pass a baton: the holder runs, all others wait
// in the kernel. Stacks, control blocks and executions are the same. A switch takes microseconds, and
// debuggers see threads.
#pragma once

#include <csignal>
#include <cstdint>

#include "runtime/base/forever.hpp"
#include "runtime/base/shared_block.hpp"

namespace thrum {

struct Context {
  void* stack_pointer = nullptr;
};

extern "C" void thrum_fiber_switch(void** save_sp, void* load_sp, std::uint64_t fs_base);
extern "C" void thrum_fiber_start();
extern "C" void thrum_signal_entry();
extern "C" void thrum_fault_entry();
extern "C" [[noreturn]] void thrum_wait_for_baton();

// How a switch changes the thread control block. switch.S knows the first three.
enum class SwitchBy : std::uint8_t { arch_prctl = 0, baton = 1, wrfsbase = 2, exchange = 3 };
extern "C" __attribute__((visibility("hidden"))) SwitchBy thrum_switch_by;
extern constinit Forever<SharedBlock> the_shared_block;

// The callee-saved registers and stack pointer at the last entry that switch.S marks as loop_entry.
struct CallerState {
  std::uint64_t registers[6];
  std::uint64_t stack_pointer;
  bool operator==(const CallerState&) const = default;
};
extern "C" CallerState thrum_caller;

// Leaves the running fiber and goes on in `to`. fs_base: of the fiber `to`; 0 if it does not change.
[[gnu::always_inline]] inline void switch_to(Context& from, const Context& to, std::uint64_t fs_base) {
  if (__builtin_expect(thrum_switch_by == SwitchBy::exchange, 0) && fs_base != 0) {
    the_shared_block.value.give_to(fs_base);
    fs_base = 0;
  }
  thrum_fiber_switch(&from.stack_pointer, to.stack_pointer, fs_base);
}

// The modes of floating-point arithmetic: MXCSR in the low half, the control word of the x87 above it. First
// the modes of the running fiber; then those with which a process and a signal handler begin.
inline std::uint64_t floating_point_modes() {
  std::uint32_t sse;
  std::uint16_t x87;
  asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(sse), "=m"(x87));
  return std::uint64_t{x87} << 32 | sse;
}
inline void set_floating_point_modes(std::uint64_t modes) {
  const auto sse = static_cast<std::uint32_t>(modes);
  const auto x87 = static_cast<std::uint16_t>(modes >> 32);
  asm volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(sse), "m"(x87));
}
constexpr std::uint64_t kInitialModes = std::uint64_t{0x037f} << 32 | 0x1f80;

// A context that begins with body() on a fresh stack whose upper end is top. body must not return. A thread
// begins with the modes of its creator.
Context new_context(void* top, void (*body)(), std::uint64_t modes);

// A fiber that does not run will handle a signal when it goes on (thrum_handle_signal_here, on its own
// stack), and then return to where it was.
void interrupt(Context& context);

// Calls a signal handler on another stack, whose upper end is top.
extern "C" void thrum_call_on_stack(void* top, void (*handler)(int, siginfo_t*, void*), int signal,
                                    siginfo_t* info, void* context);

// Of the system thread.
std::uint64_t current_fs_base();

// Sets the FS base that the fiber must have while it runs. For machines that do not report whether the
// program's code has changed the FS base.
void restore_fs_base(std::uint64_t own_block);

// Whether the program has changed the FS base of the running fiber, so that nothing in libc works any more.
// False if the machine cannot tell.
bool fs_base_is_ruined(std::uint64_t own_block);

// Decides how to switch. system_threads: pass the baton, whatever the machine can do. fsgsbase: the
// instructions may be used.
void choose_switch(bool system_threads, bool fsgsbase);
inline bool on_system_threads() { return thrum_switch_by == SwitchBy::baton; }

}  // namespace thrum
