// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Timers of POSIX and of the process.
#include <sys/time.h>

#include <csignal>
#include <cstring>

#include "vm/library.hpp"

namespace thrum::vm {

namespace {

constexpr std::uint64_t kNsOfMicrosecond = 1'000;
constexpr std::uint32_t kRealTimer = 0;  // ITIMER_REAL among the timers of the process

timespec timespec_of(std::uint64_t ns) {
  return {static_cast<time_t>(ns / kSecond), static_cast<long>(ns % kSecond)};
}
timeval timeval_of(std::uint64_t ns) {
  return {static_cast<time_t>(ns / kSecond), static_cast<suseconds_t>(ns % kSecond / kNsOfMicrosecond)};
}
std::uint64_t ns_of(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * kSecond +
         static_cast<std::uint64_t>(time.tv_usec) * kNsOfMicrosecond;
}
bool is_valid_interval(const timeval& time) {
  return time.tv_sec >= 0 && time.tv_usec >= 0 && time.tv_usec < 1'000'000;
}

// Of a call on a timer: what it returns first, or the setting.
struct TimerAnswer {
  std::optional<Next> next;
  Timers::Setting setting;
};

// due_ns: 0: it is switched off. The former setting. Phases: 0 arrives, 1 sets it.
TimerAnswer set_timer(Call& call, std::uint32_t number, std::uint64_t due_ns, std::uint64_t interval_ns) {
  Machine& machine = call.machine;
  if (!machine.in_execution) {
    if (due_ns == 0) return {};
    return {Next::begins, {}};
  }
  if (call.phase() == 0) call.thread.kept[0] = due_ns;
  if (const auto next = stand(call, 0, Operation::timer_set, kSignalObject)) return {next, {}};
  const Timers::Setting before = Timers::setting(number);
  machine.done(true);
  if (machine.over || !machine.timers.set(number, call.thread.kept[0], interval_ns)) return {Next::over, {}};
  return {std::nullopt, before};
}

TimerAnswer read_timer(Call& call, std::uint32_t number) {
  Machine& machine = call.machine;
  if (!machine.in_execution) return {std::nullopt, Timers::setting(number)};
  if (const auto next = stand(call, 0, Operation::timer_read, kSignalObject)) return {next, {}};
  const Timers::Setting setting = Timers::setting(number);
  machine.done(false, setting.left_ns);
  if (machine.over) return {Next::over, {}};
  machine.note_clock_read(call.thread);
  return {std::nullopt, setting};
}

std::uint64_t due_in(std::uint64_t ns) { return ns == 0 ? 0 : Machine::course().now_ns + ns; }

std::uint32_t timer_number(std::uint64_t handle) {
  return Timers::exists(handle) ? static_cast<std::uint32_t>(handle) : Timers::kMax;
}

}  // namespace

// timer_t is the number.
Next do_timer_create(Call& call) {
  Machine& machine = call.machine;
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGALRM;
  const bool is_told = call.argument(1) != 0;
  if (is_told) {
    if (!machine.may_read(call.argument(1), sizeof event)) return Next::over;
    event = at<sigevent>(call.argument(1));
  }
  Timer timer{};
  if (event.sigev_notify == SIGEV_THREAD_ID) {
    const Thread* const target = thread_of_number(event._sigev_un._tid);
    if (target == nullptr) return fail_with(call, EINVAL);
    timer.target = target->slot + 1U;
    timer.target_number = target->number;
  }
  switch (event.sigev_notify) {
    case SIGEV_SIGNAL:
    case SIGEV_THREAD_ID:
      if (event.sigev_signo < 1 || event.sigev_signo > kLastSignal) return fail_with(call, EINVAL);
      break;
    case SIGEV_THREAD:
    case SIGEV_NONE: break;
    default: return fail_with(call, EINVAL);
  }
  timer.exists = 1;
  timer.clock = call.int_argument(0);
  timer.notify = event.sigev_notify;
  timer.signal = event.sigev_signo;
  timer.value = reinterpret_cast<std::uint64_t>(event.sigev_value.sival_ptr);
  if (event.sigev_notify == SIGEV_THREAD)
    std::memcpy(&timer.function, &event._sigev_un._sigev_thread._function, sizeof timer.function);
  const std::uint32_t number = machine.timers.create(timer);
  if (number == Timers::kMax) return fail_with(call, EAGAIN);
  if (!is_told) machine.timers.set_value(number, number);
  return put_value(call, call.argument(2), std::uint64_t{number}) ? call.result_int(0) : Next::over;
}

Next do_timer_delete(Call& call) {
  const std::uint32_t number = timer_number(call.argument(0));
  if (number == Timers::kMax) return fail_with(call, EINVAL);
  if (const auto next = stand(call, 0, Operation::timer_set, kSignalObject)) return *next;
  call.machine.timers.remove(number);
  call.machine.done(true);
  return call.machine.over ? Next::over : call.result_int(0);
}

Next do_timer_settime(Call& call) {
  const std::uint32_t number = timer_number(call.argument(0));
  if (!call.machine.may_read(call.argument(2), sizeof(itimerspec))) return Next::over;
  const itimerspec value = at<itimerspec>(call.argument(2));
  if (number == Timers::kMax || !is_valid(value.it_value) || !is_valid(value.it_interval))
    return fail_with(call, EINVAL);
  const std::uint64_t first = duration_ns(value.it_value);
  std::uint64_t due = due_in(first);
  if (first != 0 && (call.int_argument(1) & TIMER_ABSTIME) != 0) {
    due = clock_to_virtual(call, Timers::timer(number).clock, value.it_value);
    if (due == 0) due = 1;  // it is past
  }
  const TimerAnswer before = set_timer(call, number, due, duration_ns(value.it_interval));
  if (before.next) return *before.next;
  const itimerspec old{timespec_of(before.setting.interval_ns), timespec_of(before.setting.left_ns)};
  return put_value(call, call.argument(3), old) ? call.result_int(0) : Next::over;
}

Next do_timer_gettime(Call& call) {
  const std::uint32_t number = timer_number(call.argument(0));
  if (number == Timers::kMax) return fail_with(call, EINVAL);
  const TimerAnswer now = read_timer(call, number);
  if (now.next) return *now.next;
  const itimerspec value{timespec_of(now.setting.interval_ns), timespec_of(now.setting.left_ns)};
  return put_value(call, call.argument(1), value) ? call.result_int(0) : Next::over;
}

Next do_timer_getoverrun(Call& call) {
  const std::uint32_t number = timer_number(call.argument(0));
  if (number == Timers::kMax) return fail_with(call, EINVAL);
  if (const auto next = stand(call, 0, Operation::timer_read, kSignalObject)) return *next;
  const std::int32_t overrun = Timers::timer(number).overrun;
  call.machine.done(false, static_cast<std::uint64_t>(overrun));
  return call.machine.over ? Next::over : call.result_int(overrun);
}

Next do_setitimer(Call& call) {
  const auto number = static_cast<std::uint32_t>(call.argument(0));
  if (number >= Timers::kOfProcess) return fail_with(call, EINVAL);
  if (!call.machine.may_read(call.argument(1), sizeof(itimerval))) return Next::over;
  const itimerval value = at<itimerval>(call.argument(1));
  if (!is_valid_interval(value.it_value) || !is_valid_interval(value.it_interval))
    return fail_with(call, EINVAL);
  const TimerAnswer before = set_timer(call, number, due_in(ns_of(value.it_value)), ns_of(value.it_interval));
  if (before.next) return *before.next;
  const itimerval old{timeval_of(before.setting.interval_ns), timeval_of(before.setting.left_ns)};
  return put_value(call, call.argument(2), old) ? call.result_int(0) : Next::over;
}

Next do_getitimer(Call& call) {
  const auto number = static_cast<std::uint32_t>(call.argument(0));
  if (number >= Timers::kOfProcess) return fail_with(call, EINVAL);
  const TimerAnswer now = read_timer(call, number);
  if (now.next) return *now.next;
  const itimerval value{timeval_of(now.setting.interval_ns), timeval_of(now.setting.left_ns)};
  return put_value(call, call.argument(1), value) ? call.result_int(0) : Next::over;
}

Next do_alarm(Call& call) {
  const std::uint64_t seconds = call.argument(0) & 0xffff'ffff;
  const TimerAnswer before = set_timer(call, kRealTimer, due_in(seconds * kSecond), 0);
  if (before.next) return *before.next;
  return call.result((before.setting.left_ns + kSecond - 1) / kSecond);
}

Next do_ualarm(Call& call) {
  const std::uint64_t first = call.argument(0) & 0xffff'ffff;
  const std::uint64_t interval = call.argument(1) & 0xffff'ffff;
  const TimerAnswer before =
      set_timer(call, kRealTimer, due_in(first * kNsOfMicrosecond), interval * kNsOfMicrosecond);
  if (before.next) return *before.next;
  return call.result(before.setting.left_ns / kNsOfMicrosecond);
}

}  // namespace thrum::vm
