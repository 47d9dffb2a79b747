// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thread cancellation (POSIX.1-2017, 2.9.5). A cancelled thread ends at its next cancellation point. With
// asynchronous cancellation it ends anywhere, as if by a signal (signals.hpp, kCancelSignal). Its stack is
// unwound, which runs destructors and cleanup handlers.
#pragma once

#include <cstdint>

#include "runtime/threads/scheduler.hpp"

namespace thrum {

// The object of events on a thread's cancel state. In a trace it names the thread; it is an address of its
// stack.
inline std::uint64_t cancel_object(const Thread& thread) {
  constexpr std::uint64_t kBelowTop = 2;
  return reinterpret_cast<std::uint64_t>(thread.stack_top) - kBelowTop;
}

// The running thread, which is cancelled, begins to unwind.
[[noreturn, gnu::cold]] void act_on_cancel(std::uint64_t code);

// A call that is a cancellation point begins.
inline void cancellation_point(std::uint64_t code) {
  if (__builtin_expect(scheduler().current().cancellation.acts(), 0)) act_on_cancel(code);
}

// Scheduler::arrive_until for a wait that is a cancellation point. False if the thread goes on because it is
// cancelled.
bool wait_at_cancellation_point(Operation operation, std::uint64_t object, std::uint64_t code, Wait wait,
                                std::uint64_t deadline_ns);

// Unwinds the stack of the running thread, whose result is set, and ends the thread.
[[noreturn]] void unwind_thread();

// The running thread's code has returned: destroys its thread-specific data, and ends the thread.
[[noreturn]] void finish_thread();

}  // namespace thrum
