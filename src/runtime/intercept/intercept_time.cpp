// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clocks, sleeping, yielding. Time is virtual: it does not pass while threads run. It passes when a wait
// times out, or when nothing else can happen.

#include <sched.h>
#include <sys/time.h>
#include <threads.h>
#include <unistd.h>
#include <cerrno>

#include "runtime/intercept/intercept.hpp"
#include "runtime/libc/libc_calls.hpp"
#include "runtime/threads/cancellation.hpp"

using namespace thrum;

namespace {

// The time of the clocks when the process begins: fixed, so that runs repeat.
constexpr std::uint64_t kRealTimeStart = 1'700'000'000 * kSecond;
constexpr std::uint64_t kOtherStart = 1'000 * kSecond;

std::uint64_t start_of(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI ? kRealTimeStart
                                                                                         : kOtherStart;
}

// Reading a clock is a visible operation. Before the first choice time also passes, so that a loop that waits
// for a time ends.
std::uint64_t read_clock(std::uint64_t code) {
  constexpr std::uint64_t kReadTakes = 1'000;
  if (!world.running) {
    scheduler().advance_clock(scheduler().now_ns() + kReadTakes);
    return scheduler().now_ns();
  }
  scheduler().arrive_in_loop(Operation::clock_read, SpinDetector::kClock, 0, code);
  std::uint64_t now = scheduler().now_ns();
  ++livelock_watch.hidden_changes;
  scheduler().done(Scheduler::Effect::read, now);
  return now;
}

void give_way(std::uint64_t code) {
  if (!world.running) return;
  scheduler().arrive_at_yield(code);
  scheduler().done(Scheduler::Effect::none);
}

// Sleeps. Returns the remaining time if a signal handler ended the sleep, else 0.
std::uint64_t sleep_until(std::uint64_t deadline_ns, std::uint64_t code) {
  if (world.running && deadline_ns > scheduler().now_ns()) {
    livelock_detector().arrive(Operation::sleep, deadline_ns - scheduler().now_ns(), code);
    scheduler().count_yield(code);
  }
  cancellation_point(code);
  if (deadline_ns <= scheduler().now_ns()) {
    give_way(code);
    return 0;
  }
  if (!world.running) {
    scheduler().advance_clock(deadline_ns);
    return 0;
  }
  constexpr std::uint64_t kClock = SpinDetector::kClock;
  if (!wait_at_cancellation_point(Operation::sleep, kClock, code, Wait::deadline, deadline_ns))
    act_on_cancel(code);
  if (scheduler().current().interrupted) {
    std::uint64_t now = scheduler().now_ns();
    return deadline_ns > now ? deadline_ns - now : 1;
  }
  scheduler().done(Scheduler::Effect::none, 0, 0, Outcome::timed_out);
  return 0;
}

// For calls that report the remaining time.
int sleep_for(std::uint64_t deadline_ns, timespec* left, std::uint64_t code) {
  std::uint64_t left_ns = sleep_until(deadline_ns, code);
  if (left) *left = {static_cast<time_t>(left_ns / kSecond), static_cast<long>(left_ns % kSecond)};
  return left_ns == 0 ? 0 : EINTR;
}

int to_errno(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

}  // namespace

namespace thrum {

std::uint64_t virtual_now() { return scheduler().now_ns(); }

std::uint64_t duration_ns(const timespec& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * kSecond + static_cast<std::uint64_t>(time.tv_nsec);
}

std::uint64_t clock_to_virtual(clockid_t clock, const timespec& time) {
  // A deadline beyond the range of the clock never comes; it must not overflow.
  constexpr std::int64_t kSecondsMax = 9'000'000'000;
  if (time.tv_sec < 0) return 0;
  if (time.tv_sec > kSecondsMax) return kNoDeadline - 1;
  std::uint64_t start = start_of(clock);
  std::uint64_t when = duration_ns(time);
  return when < start ? 0 : when - start;
}

timespec virtual_to_clock(clockid_t clock, std::uint64_t now_ns) {
  std::uint64_t shown = start_of(clock) + now_ns;
  return {static_cast<time_t>(shown / kSecond), static_cast<long>(shown % kSecond)};
}

}  // namespace thrum

THRUM_LOOP_IMPL int clock_gettime_impl(clockid_t clock, timespec* time) {
  THRUM_FORWARD(clock_gettime, clock, time)
  *time = virtual_to_clock(clock, read_clock(THRUM_CALLER));
  clock_gettime_call{THRUM_CALLER}.after(time);
  return 0;
}

THRUM_LOOP_IMPL int gettimeofday_impl(timeval* time, void* zone) {
  THRUM_FORWARD(gettimeofday, time, zone)
  timespec now = virtual_to_clock(CLOCK_REALTIME, read_clock(THRUM_CALLER));
  *time = {now.tv_sec, now.tv_nsec / 1'000};
  gettimeofday_call{THRUM_CALLER}.after(time);
  return 0;
}

THRUM_LOOP_IMPL time_t time_impl(time_t* result) {
  THRUM_FORWARD(time, result)
  time_t now = virtual_to_clock(CLOCK_REALTIME, read_clock(THRUM_CALLER)).tv_sec;
  if (result) *result = now;
  time_call{THRUM_CALLER}.after(result);
  return now;
}

THRUM_LOOP_IMPL int timespec_get_impl(timespec* time, int base) {
  THRUM_FORWARD(timespec_get, time, base)
  if (base != TIME_UTC) return 0;
  *time = virtual_to_clock(CLOCK_REALTIME, read_clock(THRUM_CALLER));
  timespec_get_call{THRUM_CALLER}.after(time);
  return base;
}

// The processor time of the process is the time since it began.
THRUM_LOOP_IMPL clock_t clock_impl() {
  THRUM_FORWARD(clock)
  constexpr std::uint64_t kTick = kSecond / CLOCKS_PER_SEC;
  return static_cast<clock_t>(read_clock(THRUM_CALLER) / kTick);
}

THRUM_LOOP_IMPL int sched_yield_impl() {
  THRUM_FORWARD(sched_yield)
  give_way(THRUM_CALLER);
  return 0;
}

THRUM_LOOP_IMPL int nanosleep_impl(const timespec* duration, timespec* left) {
  THRUM_FORWARD(nanosleep, duration, left)
  nanosleep_call{THRUM_CALLER}.before(duration);
  if (!is_valid(*duration) || duration->tv_sec < 0) return to_errno(EINVAL);
  return to_errno(sleep_for(virtual_now() + duration_ns(*duration), left, THRUM_CALLER));
}

THRUM_LOOP_IMPL int clock_nanosleep_impl(clockid_t clock, int flags, const timespec* time, timespec* left) {
  THRUM_FORWARD(clock_nanosleep, clock, flags, time, left)
  clock_nanosleep_call{THRUM_CALLER}.before(time);
  if (!is_valid(*time) || time->tv_sec < 0) return EINVAL;
  bool absolute = (flags & TIMER_ABSTIME) != 0;
  std::uint64_t deadline = absolute ? clock_to_virtual(clock, *time) : virtual_now() + duration_ns(*time);
  return sleep_for(deadline, absolute ? nullptr : left, THRUM_CALLER);
}

THRUM_LOOP_IMPL int usleep_impl(useconds_t microseconds) {
  THRUM_FORWARD(usleep, microseconds)
  return to_errno(sleep_for(virtual_now() + std::uint64_t{microseconds} * 1'000, nullptr, THRUM_CALLER));
}

THRUM_LOOP_IMPL unsigned sleep_impl(unsigned seconds) {
  THRUM_FORWARD(sleep, seconds)
  std::uint64_t left_ns = sleep_until(virtual_now() + seconds * kSecond, THRUM_CALLER);
  return static_cast<unsigned>((left_ns + kSecond - 1) / kSecond);
}

THRUM_LOOP_IMPL void thrd_yield_impl() {
  THRUM_FORWARD(thrd_yield)
  give_way(THRUM_CALLER);
}

THRUM_LOOP_IMPL int thrd_sleep_impl(const timespec* duration, timespec* left) {
  THRUM_FORWARD(thrd_sleep, duration, left)
  nanosleep_call{THRUM_CALLER}.before(duration);
  constexpr int kInvalid = -2;  // glibc's result
  if (!is_valid(*duration) || duration->tv_sec < 0) return kInvalid;
  sleep_until(virtual_now() + duration_ns(*duration), THRUM_CALLER);
  if (left) *left = {0, 0};
  return 0;
}
