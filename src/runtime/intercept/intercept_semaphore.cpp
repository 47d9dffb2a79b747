// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// POSIX semaphores. A named one is never shared with another process: each search begins without any.

#include <fcntl.h>
#include <semaphore.h>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstring>

#include "runtime/intercept/intercept.hpp"
#include "runtime/judge/recorded_values.hpp"
#include "runtime/kernel/process_state.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/threads/cancellation.hpp"
#include "runtime/threads/lock_misuse.hpp"

using namespace thrum;

namespace {

constexpr const char* kWaits = "waits for a semaphore";

// Takes a unit; or returns the reason that it cannot: ETIMEDOUT, EINTR.
int take_semaphore(sem_t* semaphore, std::uint64_t deadline, std::uint64_t code) {
  std::uint64_t object = address_of(semaphore);
  auto& state = state_at<SemaphoreState>(object);
  if (!world.running) {
    check_alive(state, kWaits, code);
    if (state.count == 0) {
      wait_alone(Operation::semaphore_wait, object, code, deadline);
      return ETIMEDOUT;
    }
    --state.count;
    return 0;
  }
  cancellation_point(code);
  if (!wait_at_cancellation_point(Operation::semaphore_wait, object, code, Wait::semaphore, deadline))
    act_on_cancel(code);
  const Thread& me = scheduler().current();
  if (me.timed_out) {
    done_by_timeout();
    return ETIMEDOUT;
  }
  if (me.interrupted) return EINTR;
  check_alive(state, kWaits, code);
  --state.count;
  scheduler().done(Scheduler::Effect::change, state.count);
  return 0;
}

}  // namespace

THRUM_EXPORT int sem_init(sem_t* semaphore, int shared, unsigned value) {
  THRUM_FORWARD(sem_init, semaphore, shared, value)
  if (value > SEM_VALUE_MAX) return fail_with(EINVAL);
  check_semaphore_unused(address_of(semaphore), "initialises", THRUM_CALLER);
  begin_anew(address_of(semaphore), THRUM_CALLER);
  std::memset(static_cast<void*>(semaphore), 0, sizeof *semaphore);
  state_at<SemaphoreState>(address_of(semaphore)).count = value;
  return 0;
}

THRUM_EXPORT int sem_destroy(sem_t* semaphore) {
  THRUM_FORWARD(sem_destroy, semaphore)
  auto& state = state_at<SemaphoreState>(address_of(semaphore));
  check_alive(state, "destroys a semaphore", THRUM_CALLER);
  check_semaphore_unused(address_of(semaphore), "destroys", THRUM_CALLER);
  begin_anew(address_of(semaphore), THRUM_CALLER);
  world.wrote = true;
  state = {1, SemaphoreState::kDestroyed};
  return 0;
}

THRUM_EXPORT int sem_wait(sem_t* semaphore) {
  THRUM_FORWARD(sem_wait, semaphore)
  return or_errno(take_semaphore(semaphore, kNoDeadline, THRUM_CALLER));
}

THRUM_EXPORT int sem_timedwait(sem_t* semaphore, const timespec* time) {
  THRUM_FORWARD(sem_timedwait, semaphore, time)
  if (!is_valid(*time)) return fail_with(EINVAL);
  return or_errno(take_semaphore(semaphore, clock_to_virtual(CLOCK_REALTIME, *time), THRUM_CALLER));
}

THRUM_EXPORT int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* time) {
  THRUM_FORWARD(sem_clockwait, semaphore, clock, time)
  if (!is_valid(*time)) return fail_with(EINVAL);
  return or_errno(take_semaphore(semaphore, clock_to_virtual(clock, *time), THRUM_CALLER));
}

THRUM_LOOP_IMPL int sem_trywait_impl(sem_t* semaphore) {
  THRUM_FORWARD(sem_trywait, semaphore)
  auto& state = state_at<SemaphoreState>(address_of(semaphore));
  if (world.running)
    scheduler().arrive_to_take(Operation::semaphore_try_wait, address_of(semaphore), THRUM_CALLER,
                               Wait::semaphore);
  check_alive(state, kWaits, THRUM_CALLER);
  bool taken = state.count != 0;
  if (taken) --state.count;
  if (world.running) {
    scheduler().done(taken ? Scheduler::Effect::change : Scheduler::Effect::read, state.count, 0,
                     taken ? Outcome::done : Outcome::failed);
  }
  return taken ? 0 : fail_with(EAGAIN);
}

THRUM_EXPORT int sem_post(sem_t* semaphore) {
  THRUM_FORWARD(sem_post, semaphore)
  auto& state = state_at<SemaphoreState>(address_of(semaphore));
  if (world.running) scheduler().arrive(Operation::semaphore_post, address_of(semaphore), 0, THRUM_CALLER);
  check_alive(state, "posts a semaphore", THRUM_CALLER);
  const bool is_full = state.count == SEM_VALUE_MAX;
  if (!is_full) ++state.count;
  if (world.running) scheduler().done(Scheduler::Effect::change, state.count);
  return is_full ? fail_with(EOVERFLOW) : 0;
}

THRUM_LOOP_IMPL int sem_getvalue_impl(sem_t* semaphore, int* value) {
  THRUM_FORWARD(sem_getvalue, semaphore, value)
  auto& state = state_at<SemaphoreState>(address_of(semaphore));
  if (world.running)
    scheduler().arrive_in_loop(Operation::load, address_of(semaphore), sizeof state.count, THRUM_CALLER);
  check_alive(state, "reads the value of a semaphore", THRUM_CALLER);
  *value = static_cast<int>(state.count);
  if (world.running) scheduler().done(Scheduler::Effect::read, state.count);
  note_value_written(value, sizeof *value);
  return 0;
}

THRUM_EXPORT sem_t* sem_open(const char* name, int flags, ...) {
  va_list list;
  va_start(list, flags);
  auto mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
  unsigned value = flags & O_CREAT ? va_arg(list, unsigned) : 0;
  va_end(list);
  THRUM_FORWARD(sem_open, name, flags, mode, value)
  auto fail = [](int error) -> sem_t* {
    errno = error;
    return SEM_FAILED;
  };
  if (name[0] != '/' || name[1] == 0 || std::strchr(name + 1, '/')) return fail(EINVAL);
  if (NamedSemaphore* known = process_state().find_semaphore(name)) {
    if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL)) return fail(EEXIST);
    ++known->opened;
    return known->semaphore;
  }
  if (!(flags & O_CREAT)) return fail(ENOENT);
  if (value > SEM_VALUE_MAX) return fail(EINVAL);
  auto* semaphore = static_cast<sem_t*>(the_heap.allocate(sizeof(sem_t)));
  if (!semaphore) return fail(ENOMEM);
  std::memset(static_cast<void*>(semaphore), 0, sizeof *semaphore);
  state_at<SemaphoreState>(address_of(semaphore)).count = value;
  process_state().add_semaphore({name, semaphore, 1, false});
  return semaphore;
}

THRUM_EXPORT int sem_close(sem_t* semaphore) {
  THRUM_FORWARD(sem_close, semaphore)
  switch (process_state().close_semaphore(semaphore)) {
    case ProcessState::Closed::unknown: return fail_with(EINVAL);
    case ProcessState::Closed::last: the_heap.release(semaphore); return 0;
    case ProcessState::Closed::one: break;
  }
  return 0;
}

THRUM_EXPORT int sem_unlink(const char* name) {
  THRUM_FORWARD(sem_unlink, name)
  NamedSemaphore* known = process_state().find_semaphore(name);
  if (!known) return fail_with(ENOENT);
  known->unlinked = true;
  return 0;
}
