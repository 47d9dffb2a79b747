// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Futexes: the basis of C++20's atomic waiting, latches, barriers, semaphores and futures. The calls come
// through libc's syscall(), as do other calls that have no function of their own.

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <ctime>
#include <iterator>

#include "runtime/base/engine.hpp"
#include "runtime/base/notes.hpp"
#include "runtime/base/system_call.hpp"
#include "runtime/intercept/intercept.hpp"
#include "runtime/kernel/system_call_table.hpp"
#include "runtime/memory/mappings.hpp"
#include "support/raw_syscall.hpp"

using namespace thrum;

namespace {

// The deadline of a futex wait. Its timeout is a duration; with a bit of the operation set it is absolute.
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
    wait_alone(Operation::futex_wait, object, code, deadline);
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
  scheduler().done(Scheduler::Effect::change, woken, most);
  return woken;
}

// Treats the call as if libc had made it, or as a call of one of libc's functions.
long other_call(const SystemCall& call) {
  const long* a = call.arguments;
  switch (call.number) {
    case SYS_sched_yield: return sched_yield();
    case SYS_nanosleep:
      return nanosleep(reinterpret_cast<const timespec*>(a[0]), reinterpret_cast<timespec*>(a[1])) == 0
                 ? 0
                 : -errno;
    case SYS_clock_nanosleep:
      return -clock_nanosleep(static_cast<clockid_t>(a[0]), static_cast<int>(a[1]),
                              reinterpret_cast<const timespec*>(a[2]), reinterpret_cast<timespec*>(a[3]));
    default: break;
  }
  world.wrote = true;
  if (world.running) return answer_system_call(call);
  constexpr long kProcesses[] = {SYS_fork, SYS_vfork, SYS_clone, SYS_clone3, SYS_execve, SYS_execveat};
  if (std::find(std::begin(kProcesses), std::end(kProcesses), call.number) != std::end(kProcesses))
    lose_control_by_call(find_system_call(call.number)->name);
  long result;
  if (mappings().answer_before(call, result)) return result;
  return raw_syscall(call.number, a[0], a[1], a[2], a[3], a[4], a[5]);
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
  long result = searching() ? other_call({number, {a[0], a[1], a[2], a[3], a[4], a[5]}})
                            : raw_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  return is_error(result) ? fail_with(static_cast<int>(-result)) : result;
}
