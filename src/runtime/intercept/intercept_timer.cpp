// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Timers of POSIX and of the process: see timers.hpp.

#include <sys/time.h>
#include <unistd.h>
#include <cerrno>

#include "runtime/drive/native_program.hpp"
#include "runtime/drive/start.hpp"
#include "runtime/intercept/intercept.hpp"
#include "runtime/intercept/signal_calls.hpp"
#include "runtime/kernel/signals.hpp"
#include "runtime/libc/libc_calls.hpp"
#include "runtime/threads/timers.hpp"

using namespace thrum;

namespace {

constexpr std::uint64_t kMicrosecond = 1'000;
constexpr int kReal = 0;  // ITIMER_REAL among the timers of the process

timespec to_timespec(std::uint64_t ns) {
  return {static_cast<time_t>(ns / kSecond), static_cast<long>(ns % kSecond)};
}

timeval to_timeval(std::uint64_t ns) {
  return {static_cast<time_t>(ns / kSecond), static_cast<suseconds_t>(ns % kSecond / kMicrosecond)};
}

std::uint64_t to_ns(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * kSecond +
         static_cast<std::uint64_t>(time.tv_usec) * kMicrosecond;
}

bool is_valid(const timeval& time) {
  return time.tv_sec >= 0 && time.tv_usec >= 0 && time.tv_usec < 1'000'000;
}

// timer_t holds the number, and is never null.
int number_of(timer_t timer) { return static_cast<int>(reinterpret_cast<std::intptr_t>(timer)); }

// Sets a timer or switches it off; returns the former setting. When a set timer expires is open, so the
// search begins with it.
Timers::Setting set_timer(int number, std::uint64_t due_ns, std::uint64_t interval_ns, std::uint64_t code) {
  if (!world.running && due_ns == kNoDeadline) return {};
  if (!world.running) begin_search();
  scheduler().arrive(Operation::timer_set, kSignalState, 0, code);
  Timers::Setting before = timers().setting(number);
  scheduler().done(Scheduler::Effect::change);
  timers().set(number, due_ns, interval_ns);
  return before;
}

Timers::Setting read_timer(int number, std::uint64_t code) {
  if (!world.running) return timers().setting(number);
  scheduler().arrive_in_loop(Operation::timer_read, kSignalState, 0, code);
  Timers::Setting setting = timers().setting(number);
  scheduler().done(Scheduler::Effect::read, setting.left_ns);
  scheduler().note_read(SpinDetector::kClock);
  return setting;
}

std::uint64_t alarm_in(std::uint64_t ns, std::uint64_t interval_ns, std::uint64_t code) {
  return set_timer(kReal, ns == 0 ? kNoDeadline : virtual_now() + ns, interval_ns, code).left_ns;
}

}  // namespace

THRUM_EXPORT int timer_create(clockid_t clock, sigevent* event, timer_t* timer) {
  THRUM_FORWARD(timer_create, clock, event, timer)
  sigevent chosen{};
  chosen.sigev_notify = SIGEV_SIGNAL;
  chosen.sigev_signo = SIGALRM;
  if (event) chosen = *event;
  Thread* target = nullptr;
  if (chosen.sigev_notify == SIGEV_THREAD_ID) {
    target = thread_of_id(chosen._sigev_un._tid);
    if (!target) return fail_with(EINVAL);
  }
  bool sends = chosen.sigev_notify == SIGEV_SIGNAL || chosen.sigev_notify == SIGEV_THREAD_ID;
  if (sends && !is_signal(chosen.sigev_signo)) return fail_with(EINVAL);
  if (!sends && chosen.sigev_notify != SIGEV_THREAD && chosen.sigev_notify != SIGEV_NONE)
    return fail_with(EINVAL);
  int number = timers().create(clock, chosen, target);
  if (!event) timers().set_value(number, number);
  *timer = reinterpret_cast<timer_t>(static_cast<std::intptr_t>(number));
  timer_create_call{THRUM_CALLER}.after(timer);
  return 0;
}

THRUM_EXPORT int timer_delete(timer_t timer) {
  THRUM_FORWARD(timer_delete, timer)
  if (!timers().exists(number_of(timer))) return fail_with(EINVAL);
  if (world.running) scheduler().arrive(Operation::timer_set, kSignalState, 0, THRUM_CALLER);
  timers().remove(number_of(timer));
  if (world.running) scheduler().done(Scheduler::Effect::change);
  return 0;
}

THRUM_EXPORT int timer_settime(timer_t timer, int flags, const itimerspec* value, itimerspec* old) {
  THRUM_FORWARD(timer_settime, timer, flags, value, old)
  int number = number_of(timer);
  if (!timers().exists(number) || !is_valid(value->it_value) || !is_valid(value->it_interval))
    return fail_with(EINVAL);
  std::uint64_t first = duration_ns(value->it_value);
  std::uint64_t due = kNoDeadline;
  if (first != 0) {
    due = (flags & TIMER_ABSTIME) != 0 ? clock_to_virtual(timers().clock(number), value->it_value)
                                       : virtual_now() + first;
    if (due == 0) due = 1;  // its time has passed: it expires at once
  }
  Timers::Setting before = set_timer(number, due, duration_ns(value->it_interval), THRUM_CALLER);
  if (old) *old = {to_timespec(before.interval_ns), to_timespec(before.left_ns)};
  timer_settime_call{THRUM_CALLER}.after(old);
  return 0;
}

THRUM_LOOP_IMPL int timer_gettime_impl(timer_t timer, itimerspec* value) {
  THRUM_FORWARD(timer_gettime, timer, value)
  if (!timers().exists(number_of(timer))) return fail_with(EINVAL);
  Timers::Setting setting = read_timer(number_of(timer), THRUM_CALLER);
  *value = {to_timespec(setting.interval_ns), to_timespec(setting.left_ns)};
  timer_gettime_call{THRUM_CALLER}.after(value);
  return 0;
}

THRUM_LOOP_IMPL int timer_getoverrun_impl(timer_t timer) {
  THRUM_FORWARD(timer_getoverrun, timer)
  int number = number_of(timer);
  if (!timers().exists(number)) return fail_with(EINVAL);
  if (!world.running) return timers().overrun(number);
  // Another thread may accept the timer's signal first.
  scheduler().arrive_in_loop(Operation::timer_read, kSignalState, 0, THRUM_CALLER);
  int overrun = timers().overrun(number);
  scheduler().done(Scheduler::Effect::read, static_cast<std::uint64_t>(overrun));
  return overrun;
}

THRUM_EXPORT int setitimer(__itimer_which_t which, const itimerval* value, itimerval* old) {
  THRUM_FORWARD(setitimer, which, value, old)
  auto number = static_cast<int>(which);
  if (number < 0 || number >= Timers::kOfProcess) return fail_with(EINVAL);
  if (!is_valid(value->it_value) || !is_valid(value->it_interval)) return fail_with(EINVAL);
  std::uint64_t first = to_ns(value->it_value);
  Timers::Setting before = set_timer(number, first == 0 ? kNoDeadline : virtual_now() + first,
                                     to_ns(value->it_interval), THRUM_CALLER);
  if (old) *old = {to_timeval(before.interval_ns), to_timeval(before.left_ns)};
  setitimer_call{THRUM_CALLER}.after(old);
  return 0;
}

THRUM_LOOP_IMPL int getitimer_impl(__itimer_which_t which, itimerval* value) {
  THRUM_FORWARD(getitimer, which, value)
  auto number = static_cast<int>(which);
  if (number < 0 || number >= Timers::kOfProcess) return fail_with(EINVAL);
  Timers::Setting setting = read_timer(number, THRUM_CALLER);
  *value = {to_timeval(setting.interval_ns), to_timeval(setting.left_ns)};
  getitimer_call{THRUM_CALLER}.after(value);
  return 0;
}

THRUM_EXPORT unsigned alarm(unsigned seconds) {
  THRUM_FORWARD(alarm, seconds)
  std::uint64_t left = alarm_in(seconds * kSecond, 0, THRUM_CALLER);
  return static_cast<unsigned>((left + kSecond - 1) / kSecond);
}

THRUM_EXPORT useconds_t ualarm(useconds_t first, useconds_t interval) {
  THRUM_FORWARD(ualarm, first, interval)
  return static_cast<useconds_t>(alarm_in(first * kMicrosecond, interval * kMicrosecond, THRUM_CALLER) /
                                 kMicrosecond);
}
