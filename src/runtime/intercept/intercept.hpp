// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by the files intercept_*.cpp.
//
// An intercepted function has three parts. In a plain process it forwards to libc. The operation itself works
// on the state inside the program's object. In an execution the function arrives before the operation and
// reports when it is done. Before the first choice there is one thread, and operations have no scheduling
// point.
#pragma once

#include <cerrno>
#include <cstdint>
#include <ctime>

#include "objects/objects.hpp"
#include "runtime/base/engine.hpp"
#include "runtime/base/long_waits.hpp"
#include "runtime/base/modules.hpp"
#include "runtime/base/world.hpp"
#include "runtime/threads/livelock.hpp"
#include "runtime/threads/lock_misuse.hpp"
#include "runtime/threads/random_numbers.hpp"
#include "runtime/threads/scheduler.hpp"
#include "support/duration.hpp"

// Begins an intercepted function: in a plain process libc's function does the rest.
#define THRUM_FORWARD(name, ...) \
  if (!::thrum::searching()) {   \
    THRUM_REAL(name);            \
    return real(__VA_ARGS__);    \
  }

namespace thrum {

inline std::uint64_t address_of(const volatile void* object) {
  return reinterpret_cast<std::uint64_t>(object);
}

// The result of a call that fails with this error, by errno; and of one whose error may be 0: none.
inline int fail_with(int error) {
  errno = error;
  return -1;
}
inline int or_errno(int error) { return error == 0 ? 0 : fail_with(error); }

// The owner word of a lock that the running thread holds.
inline std::uint32_t running_owner() {
  return world.running ? scheduler().current().id + 1u : kMainThread + 1u;
}

// The thread with that handle, or nullptr.
Thread* find_thread(pthread_t handle);
// The running thread has created that one, which now runs up to its first visible operation.
void start_created(Thread& child, std::uint64_t code);

inline constexpr std::uint64_t kSecond = 1'000'000'000;  // nanoseconds

// Virtual time: nanoseconds since the process began. Clocks differ from virtual time by a constant.
std::uint64_t virtual_now();
std::uint64_t clock_to_virtual(clockid_t clock,
                               const timespec& time);  // of an absolute time; times before the beginning: 0
timespec virtual_to_clock(clockid_t clock, std::uint64_t now_ns);
std::uint64_t duration_ns(const timespec& time);
inline bool is_valid(const timespec& time) { return time.tv_nsec >= 0 && time.tv_nsec < 1'000'000'000; }

// Whether a call is a visible operation: in an execution, unless the unwinder makes it. Else every exception
// would be a scheduling point.
inline bool is_visible_from(std::uint64_t code) { return world.running && !unwinder_range().holds(code); }

// The running thread's wait has timed out, which is an event of its own.
inline void done_by_timeout() {
  Thread& me = scheduler().current();
  const auto waited = static_cast<std::uint64_t>(me.operation);
  me.operation = Operation::timeout;
  scheduler().done(Scheduler::Effect::change, 0, waited, Outcome::timed_out);
}

// Actions at the end of a thread.
void destroy_thread_locals(Thread& me);
void destroy_specific_data(Thread& me);
void leave_robust_mutexes(std::uint64_t code);

// An atomic section of the running thread. Sections nest.
void begin_section(std::uint64_t code);
void end_section();

// exit(): runs the handlers, then ends the process. frames: see LeakSearch::arm().
[[noreturn]] void exit_under_search(int status, std::uint64_t code, const void* frames);

// The only thread waits for another one, which does not exist. length_ns: the length of the wait, if a
// time-out would end it; else 0.
[[noreturn, gnu::cold]] inline void fail_alone(Operation operation, std::uint64_t object, std::uint64_t code,
                                               Wait wait = Wait::nothing, std::uint64_t length_ns = 0) {
  const char* misuse = length_ns == 0 ? self_lock(wait, object, kMainThread, 0) : nullptr;
  if (misuse) fail_misuse(misuse, code);
  Failure failure{BugKind::deadlock, "no thread can go on", kMainThread, code, {}};
  if (length_ns != 0) failure.message += "; only a time-out of " + length_words(length_ns) + " would end it";
  failure.waiters.push_back({kMainThread, operation, object, kNoThread, false, code});
  fail(std::move(failure));
}

// One thread, and it waits until the deadline at most: time passes, unless that counts as never.
inline void wait_alone(Operation operation, std::uint64_t object, std::uint64_t code, std::uint64_t deadline,
                       Wait wait = Wait::nothing) {
  const std::uint64_t now = virtual_now();
  const std::uint64_t length_ns = deadline > now ? deadline - now : 0;
  if (deadline == kNoDeadline) fail_alone(operation, object, code, wait);
  if (never_ends(length_ns)) fail_alone(operation, object, code, wait, length_ns);
  scheduler().advance_clock(deadline);
}

}  // namespace thrum
