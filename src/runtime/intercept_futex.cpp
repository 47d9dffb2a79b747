// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Futexes: what C++20's atomic waiting, latches, barriers, semaphores and futures are made of. They come
// through libc's syscall().

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <climits>
#include <cstdarg>

#include "runtime/intercept.hpp"
#include "runtime/raw_syscall.hpp"

using namespace thrum;

namespace {

long fail_with(int error) {
  errno = error;
  return -1;
}

// The deadline of a futex wait; its timeout is a duration, or absolute for the variants with a bit set.
std::uint64_t deadline_of(const timespec* timeout, int operation) {
  if (!timeout) return kNoDeadline;
  if ((operation & FUTEX_CMD_MASK) == FUTEX_WAIT) return virtual_now() + duration_ns(*timeout);
  return clock_to_virtual(operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, *timeout);
}

long futex_wait(std::uint32_t* word, int operation, std::uint32_t expected, const timespec* timeout,
                std::uint64_t code) {
  std::uint64_t object = address_of(word);
  std::uint64_t deadline = deadline_of(timeout, operation);
  if (!world.running) {
    if (*word != expected) return fail_with(EAGAIN);
    if (deadline == kNoDeadline) fail_alone(Operation::futex_wait, object, code);
    scheduler().advance_clock(deadline);
    return fail_with(ETIMEDOUT);
  }
  scheduler().arrive(Operation::futex_wait, object, sizeof *word, code);
  std::uint32_t value = *word;
  if (value != expected) {
    scheduler().done(Scheduler::Effect::read, value, 0, Outcome::failed);
    return fail_with(EAGAIN);
  }
  scheduler().done(Scheduler::Effect::change, value);
  scheduler().current().in_kernel = true;
  bool timed_out = scheduler().arrive_until(Operation::futex_return, object, code, Wait::wakeup, deadline);
  scheduler().current().in_kernel = false;
  if (timed_out) {
    done_by_timeout();
    return fail_with(ETIMEDOUT);
  }
  if (scheduler().current().interrupted) return fail_with(EINTR);
  scheduler().done(Scheduler::Effect::read);
  return 0;
}

long futex_wake(std::uint32_t* word, std::uint32_t most, std::uint64_t code) {
  if (!world.running) return 0;
  scheduler().arrive(Operation::futex_wake, address_of(word), sizeof *word, code);
  std::uint32_t woken = scheduler().wake(address_of(word), Operation::futex_return, most);
  scheduler().done(Scheduler::Effect::change, woken);
  return woken;
}

}  // namespace

THRUM_EXPORT long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long a[6];
  for (long& argument : a) argument = va_arg(list, long);
  va_end(list);
  if (number == SYS_futex && searching()) {
    auto* word = reinterpret_cast<std::uint32_t*>(a[0]);
    auto operation = static_cast<int>(a[1]);
    switch (operation & FUTEX_CMD_MASK) {
      case FUTEX_WAIT:
      case FUTEX_WAIT_BITSET:
        return futex_wait(word, operation, static_cast<std::uint32_t>(a[2]),
                          reinterpret_cast<const timespec*>(a[3]), THRUM_CALLER);
      case FUTEX_WAKE:
      case FUTEX_WAKE_BITSET: return futex_wake(word, static_cast<std::uint32_t>(a[2]), THRUM_CALLER);
      default: break;
    }
  }
  long result = raw_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  constexpr long kErrnoMax = 4095;
  return result < 0 && result >= -kErrnoMax ? fail_with(static_cast<int>(-result)) : result;
}
