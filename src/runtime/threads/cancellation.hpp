// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thread cancellation (POSIX.1-2017, 2.9.5). A cancelled thread ends at its next cancellation point, or,
// where it may be cancelled anywhere, as if by a signal (signals.hpp, kCancelSignal): its stack is unwound,
// and destructors and cleanup handlers run on the way.
#pragma once

#include <cstdint>

#include "runtime/threads/scheduler.hpp"

namespace thrum {

// The object of events on a thread's cancel state; names the thread in a trace, as an address of its stack.
inline std::uint64_t cancel_object(const Thread& thread) {
  constexpr std::uint64_t kBelowTop = 2;
  return reinterpret_cast<std::uint64_t>(thread.stack_top) - kBelowTop;
}

// The running thread, which is to be cancelled, begins to unwind.
[[noreturn, gnu::cold]] void act_on_cancel(std::uint64_t code);

// A call that is a cancellation point begins.
inline void cancellation_point(std::uint64_t code) {
  if (__builtin_expect(scheduler().current().cancellation.acts(), 0)) act_on_cancel(code);
}

// Scheduler::arrive_until for a wait that is a cancellation point; false where the thread is to be cancelled
// rather than go on.
bool wait_at_cancellation_point(Operation operation, std::uint64_t object, std::uint64_t code, Wait wait,
                                std::uint64_t deadline_ns);

// Unwinds the running thread's stack, whose result is set, and ends it.
[[noreturn]] void unwind_thread();

// The running thread's code is done: what is its own is destroyed, and it ends.
[[noreturn]] void finish_thread();

}  // namespace thrum
