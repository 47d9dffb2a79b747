// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// poll and select without descriptors are ways to sleep. With descriptors they ask once without waiting, or
// control is lost (descriptor_calls.cpp).

#include <poll.h>
#include <sys/select.h>
#include <cerrno>

#include "runtime/base/system_call.hpp"
#include "runtime/intercept/intercept.hpp"
#include "runtime/libc/libc_calls.hpp"
#include "support/raw_syscall.hpp"

using namespace thrum;

namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr long kMaskSize = 8;  // size of the kernel's set of signals

// deadline: kNoDeadline to sleep for ever.
int sleep_until(std::uint64_t deadline_ns, std::uint64_t code) {
  if (deadline_ns == kNoDeadline && !world.running) fail_alone(Operation::sleep, SpinDetector::kClock, code);
  if (deadline_ns <= virtual_now()) return 0;
  if (!world.running) {
    scheduler().advance_clock(deadline_ns);
    return 0;
  }
  scheduler().arrive_until(Operation::sleep, SpinDetector::kClock, code, Wait::deadline, deadline_ns);
  scheduler().done(Scheduler::Effect::none, 0, 0, Outcome::timed_out);
  return 0;
}

std::uint64_t deadline_after(const timespec* time) {
  return time ? virtual_now() + duration_ns(*time) : kNoDeadline;
}

// Before the first choice the program calls the kernel directly.
int ask(long number, long a, long b, long c, long d = 0, long e = 0, long f = 0) {
  world.wrote = true;
  SystemCall call{number, {a, b, c, d, e, f}};
  long result = world.running ? answer_system_call(call) : raw_syscall(number, a, b, c, d, e, f);
  if (!is_error(result)) return static_cast<int>(result);
  errno = static_cast<int>(-result);
  return -1;
}

// Makes poll or ppoll, and notes what it reads and writes.
template <typename Ask>
int ask_about(pollfd* files, nfds_t count, std::uint64_t code, Ask ask_kernel) {
  poll_call{code}.before(files, count);
  int result = ask_kernel();
  poll_call{code}.after(files, count);
  return result;
}
// Makes select or pselect, and notes what it reads and writes.
template <typename Ask>
int ask_about(fd_set* reading, fd_set* writing, fd_set* other, std::uint64_t code, Ask ask_kernel) {
  select_call{code}.before(reading, writing, other);
  int result = ask_kernel();
  select_call{code}.after(reading, writing, other);
  return result;
}

}  // namespace

THRUM_EXPORT int poll(pollfd* files, nfds_t count, int milliseconds) {
  THRUM_FORWARD(poll, files, count, milliseconds)
  if (count != 0) {
    return ask_about(files, count, THRUM_CALLER,
                     [&] { return ask(SYS_poll, word(files), static_cast<long>(count), milliseconds); });
  }
  return sleep_until(milliseconds < 0
                         ? kNoDeadline
                         : virtual_now() + static_cast<std::uint64_t>(milliseconds) * kMillisecond,
                     THRUM_CALLER);
}

THRUM_EXPORT int ppoll(pollfd* files, nfds_t count, const timespec* time, const sigset_t* mask) {
  THRUM_FORWARD(ppoll, files, count, time, mask)
  if (count != 0) {
    return ask_about(files, count, THRUM_CALLER, [&] {
      return ask(SYS_ppoll, word(files), static_cast<long>(count), word(time), word(mask), kMaskSize);
    });
  }
  return sleep_until(deadline_after(time), THRUM_CALLER);
}

THRUM_EXPORT int select(int count, fd_set* reading, fd_set* writing, fd_set* other, timeval* time) {
  THRUM_FORWARD(select, count, reading, writing, other, time)
  if (count != 0) {
    return ask_about(reading, writing, other, THRUM_CALLER, [&] {
      return ask(SYS_select, count, word(reading), word(writing), word(other), word(time));
    });
  }
  timespec duration = time ? timespec{time->tv_sec, time->tv_usec * 1'000} : timespec{};
  return sleep_until(deadline_after(time ? &duration : nullptr), THRUM_CALLER);
}

THRUM_EXPORT int pselect(int count, fd_set* reading, fd_set* writing, fd_set* other, const timespec* time,
                         const sigset_t* mask) {
  THRUM_FORWARD(pselect, count, reading, writing, other, time, mask)
  long sized_mask[2] = {word(mask), kMaskSize};
  if (count != 0) {
    return ask_about(reading, writing, other, THRUM_CALLER, [&] {
      return ask(SYS_pselect6, count, word(reading), word(writing), word(other), word(time),
                 mask ? word(sized_mask) : 0);
    });
  }
  return sleep_until(deadline_after(time), THRUM_CALLER);
}
