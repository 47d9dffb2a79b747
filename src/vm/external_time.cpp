// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clocks, sleeping, yielding. Time is virtual: it passes when a wait times out, or when nothing else can
// happen.
#include <sys/time.h>
#include <threads.h>

#include "vm/library.hpp"

namespace thrum::vm {

namespace {

// The times of clocks when the process begins, as the native engine has them.
constexpr std::uint64_t kRealTimeStart = 1'700'000'000 * kSecond;
constexpr std::uint64_t kOtherStart = 1'000 * kSecond;
constexpr std::uint64_t kClock = kClockObject;

std::uint64_t start_of(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI ? kRealTimeStart
                                                                                         : kOtherStart;
}

// Reads the clock into now; something else: what the call returns.
std::optional<Next> read_clock(Call& call, std::uint64_t& now) {
  Machine& machine = call.machine;
  constexpr std::uint64_t kReadTakes = 1'000;
  if (!machine.in_execution) {
    now = machine.change_course().now_ns += kReadTakes;
    return std::nullopt;
  }
  if (const auto next = stand(call, 0, Operation::clock_read, kClock)) return next;
  machine.clock_counts = true;
  now = Machine::course().now_ns;
  machine.note_hidden_change();
  machine.done(false, now);
  if (machine.over) return Next::over;
  return std::nullopt;
}

template <typename T>
Next put_time(Call& call, std::uint64_t to, const T& value, std::uint64_t result) {
  if (to != 0) {
    if (!call.machine.write_for_program(to, sizeof value)) return Next::over;
    call.machine.write(to, &value, sizeof value);
  }
  return call.result(result);
}

Next give_way(Call& call) {
  if (!call.machine.in_execution) return call.result_int(0);
  const bool arrives = call.phase() == 0;
  const auto next = stand(call, 0, Operation::yield, 0);
  const bool waits = call.thread.wait == Wait::spin;
  if (arrives && !waits && !call.machine.over && !call.machine.count_yield()) return Next::over;
  if (next) return *next;
  call.machine.done(false);
  return call.machine.over ? Next::over : call.result_int(0);
}

}  // namespace

// As if an assumption of the program were false: the rest is a program in its own right, so each thread is
// counted by itself.
bool Machine::count_yield() {
  if (settings.yields == 0) return true;
  struct Place {
    std::uint64_t thread;
    std::uint64_t code;
    std::uint64_t count;
  };
  const std::uint64_t thread = current().id;
  const std::uint64_t code_number = program_code_of(current());
  const std::uint64_t rows = kMachine + (std::uint64_t{10} << 32);
  std::uint32_t number = 0;
  while (number < course().yield_places) {
    const Place& known = at<Place>(rows + number * sizeof(Place));
    if (known.thread == thread && known.code == code_number) break;
    ++number;
  }
  Place& row = at<Place>(rows + number * sizeof(Place));
  memory.note(reinterpret_cast<std::uint64_t>(&row), sizeof row);
  if (number == course().yield_places) {
    change_course().yield_places = number + 1;
    row = {thread, code_number, 0};
  }
  if (++row.count <= settings.yields) return true;
  finish(End::yields);
  return false;
}

namespace {

// kept[0]: the deadline. left_ns: what is left of the time if the handler of a signal ends the sleep; else 0.
// Something else: what the call returns.
std::optional<Next> sleep_until(Call& call, std::uint64_t deadline_ns, std::uint64_t& left_ns) {
  Machine& machine = call.machine;
  Thread& me = call.thread;
  left_ns = 0;
  if (call.phase() == 0) {
    if (const auto next = cancellation_point(call)) return next;
    me.kept[0] = deadline_ns;
    if (!machine.in_execution) {
      Course& course = machine.change_course();
      course.now_ns = std::max(course.now_ns, deadline_ns);
      return std::nullopt;
    }
    me.kept[1] = deadline_ns > Machine::course().now_ns ? 1 : 0;
  }
  if (me.kept[1] == 0) {
    const Next next = give_way(call);
    return next == Next::done ? std::nullopt : std::optional(next);
  }
  if (const auto next = stand_cancellable(call, 0, Operation::sleep, kClock, Wait::deadline, me.kept[0]))
    return next;
  if (is_cancelled_in_wait(call)) return machine.act_on_cancel(me, me.code);
  me.timed = me.timed_out = false;
  if (me.interrupted) {
    const std::uint64_t now = Machine::course().now_ns;
    left_ns = me.kept[0] > now ? me.kept[0] - now : 1;
    return std::nullopt;
  }
  machine.done(false, 0, 0, Outcome::timed_out);
  return machine.over ? std::optional(Next::over) : std::nullopt;
}

// Of calls that tell the rest of the time at an address. error: what they return then.
Next sleep_and_tell(Call& call, std::uint64_t deadline_ns, std::uint64_t tell_at, bool by_errno, int error) {
  std::uint64_t left = 0;
  if (const auto next = sleep_until(call, deadline_ns, left)) return *next;
  if (tell_at != 0) {
    if (!by_errno && error == 0) left = 0;
    const timespec rest{static_cast<time_t>(left / kSecond), static_cast<long>(left % kSecond)};
    if (!call.machine.may_write(tell_at, sizeof rest)) return Next::over;
    call.machine.write(tell_at, &rest, sizeof rest);
  }
  if (left == 0) return call.result_int(0);
  return by_errno ? fail_with(call, error) : call.result_int(error);
}

Next sleep_for(Call& call, int invalid, bool by_errno, int interrupted) {
  // The rest of the time may be told where the time is.
  std::uint64_t deadline = 0;
  if (call.phase() == 0) {
    const std::optional<timespec> time = time_at(call, call.argument(0));
    if (!time) return Next::over;
    if (!is_valid(*time) || time->tv_sec < 0)
      return by_errno ? fail_with(call, EINVAL) : call.result_int(invalid);
    deadline = Machine::course().now_ns + duration_ns(*time);
  }
  return sleep_and_tell(call, deadline, call.argument(1), by_errno, interrupted);
}

}  // namespace

std::optional<timespec> time_at(Call& call, std::uint64_t address) {
  if (!call.machine.may_read(address, sizeof(timespec))) return std::nullopt;
  return at<timespec>(address);
}

std::uint64_t clock_to_virtual(const Call& call, clockid_t clock, const timespec& time) {
  call.machine.clock_counts = true;
  constexpr std::int64_t kSecondsMax = 9'000'000'000;  // beyond, the deadline never comes
  if (time.tv_sec < 0) return 0;
  if (time.tv_sec > kSecondsMax) return kNoDeadline - 1;
  const std::uint64_t when = duration_ns(time);
  return when < start_of(clock) ? 0 : when - start_of(clock);
}

timespec virtual_to_clock(clockid_t clock, std::uint64_t now_ns) {
  const std::uint64_t shown = start_of(clock) + now_ns;
  return {static_cast<time_t>(shown / kSecond), static_cast<long>(shown % kSecond)};
}

Next do_clock_gettime(Call& call) {
  std::uint64_t now = 0;
  if (const auto next = read_clock(call, now)) return *next;
  return put_time(call, call.argument(1), virtual_to_clock(call.int_argument(0), now), 0);
}

Next do_gettimeofday(Call& call) {
  std::uint64_t now = 0;
  if (const auto next = read_clock(call, now)) return *next;
  const timespec time = virtual_to_clock(CLOCK_REALTIME, now);
  return put_time(call, call.argument(0), timeval{time.tv_sec, time.tv_nsec / 1'000}, 0);
}

Next do_time(Call& call) {
  std::uint64_t now = 0;
  if (const auto next = read_clock(call, now)) return *next;
  const time_t time = virtual_to_clock(CLOCK_REALTIME, now).tv_sec;
  return put_time(call, call.argument(0), time, static_cast<std::uint64_t>(time));
}

Next do_timespec_get(Call& call) {
  const int base = call.int_argument(1);
  if (base != TIME_UTC) return call.result_int(0);
  std::uint64_t now = 0;
  if (const auto next = read_clock(call, now)) return *next;
  return put_time(call, call.argument(0), virtual_to_clock(CLOCK_REALTIME, now),
                  static_cast<std::uint64_t>(base));
}

Next do_clock(Call& call) {
  std::uint64_t now = 0;
  if (const auto next = read_clock(call, now)) return *next;
  return call.result(now / (kSecond / CLOCKS_PER_SEC));
}

Next do_yield(Call& call) { return give_way(call); }

Next do_nanosleep(Call& call) { return sleep_for(call, EINVAL, true, EINTR); }

// Its rest is always 0.
Next do_thrd_sleep(Call& call) {
  constexpr int kInvalid = -2;
  return sleep_for(call, kInvalid, false, 0);
}

Next do_clock_nanosleep(Call& call) {
  const bool is_absolute = (call.int_argument(1) & TIMER_ABSTIME) != 0;
  std::uint64_t deadline = 0;
  if (call.phase() == 0) {
    const std::optional<timespec> time = time_at(call, call.argument(2));
    if (!time) return Next::over;
    if (!is_valid(*time) || time->tv_sec < 0) return call.result_int(EINVAL);
    deadline = is_absolute ? clock_to_virtual(call, call.int_argument(0), *time)
                           : Machine::course().now_ns + duration_ns(*time);
  }
  return sleep_and_tell(call, deadline, is_absolute ? 0 : call.argument(3), false, EINTR);
}

Next do_usleep(Call& call) {
  return sleep_and_tell(call, Machine::course().now_ns + (call.argument(0) & 0xffff'ffff) * 1'000, 0, true,
                        EINTR);
}

Next do_sleep(Call& call) {
  std::uint64_t left = 0;
  const std::uint64_t seconds = call.argument(0) & 0xffff'ffff;
  if (const auto next = sleep_until(call, Machine::course().now_ns + seconds * kSecond, left)) return *next;
  return call.result((left + kSecond - 1) / kSecond);
}

}  // namespace thrum::vm
