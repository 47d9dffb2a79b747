// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Condition variables, barriers, semaphores.
//
// A condition wait is two events: releasing the mutex and going to sleep; having it again. Where the wait
// ends by its timeout, that is an event between the two.

#include <pthread.h>
#include <semaphore.h>
#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/cancellation.hpp"
#include "runtime/intercept.hpp"

using namespace thrum;

namespace {

constexpr std::uint32_t kAll = ~std::uint32_t{0};

int wait_for_condition(pthread_cond_t* condition, pthread_mutex_t* mutex, std::uint64_t deadline,
                       std::uint64_t code) {
  std::uint64_t object = address_of(condition);
  std::uint64_t lock_object = address_of(mutex);
  auto& lock = state_at<LockState>(lock_object);
  if (!world.running) {
    if (deadline == kNoDeadline) fail_alone(Operation::wait_reacquire, object, code);
    scheduler().advance_clock(deadline);
    return ETIMEDOUT;
  }
  bool checks_owner = lock.kind == PTHREAD_MUTEX_RECURSIVE || lock.kind == PTHREAD_MUTEX_ERRORCHECK;
  if (checks_owner && lock.owner != running_owner()) return EPERM;
  cancellation_point(code);
  scheduler().arrive(Operation::wait_release, object, 0, code);
  std::uint32_t depth = std::exchange(lock.count, 0u);
  lock.owner = 0;
  scheduler().done(Scheduler::Effect::change, 0, lock_object);
  scheduler().note_write(lock_object);

  Thread& me = scheduler().current();
  me.lock = lock_object;
  bool goes_on = wait_at_cancellation_point(Operation::wait_reacquire, object, code, Wait::wakeup, deadline);
  bool timed_out = me.timed_out;
  me.lock = 0;
  if (timed_out) done_by_timeout();
  if (timed_out || !goes_on) {
    scheduler().arrive(Operation::wait_reacquire, lock_object, 0, code, Wait::lock);
  }
  lock.owner = running_owner();
  lock.count = depth;
  me.object = object;  // it was waiting for the mutex last
  scheduler().done(Scheduler::Effect::change, 0, lock_object);
  scheduler().note_write(lock_object);
  if (!goes_on) act_on_cancel(code);
  return timed_out ? ETIMEDOUT : 0;
}

void wake_condition(pthread_cond_t* condition, Operation operation, std::uint64_t code) {
  if (!world.running) return;
  scheduler().arrive(operation, address_of(condition), 0, code);
  std::uint32_t woken = scheduler().wake(address_of(condition), Operation::wait_reacquire,
                                         operation == Operation::signal ? 1 : kAll);
  scheduler().done(Scheduler::Effect::change, woken);
}

// Takes a unit, or gives why not: ETIMEDOUT, EINTR.
int take_semaphore(sem_t* semaphore, std::uint64_t deadline, std::uint64_t code) {
  std::uint64_t object = address_of(semaphore);
  auto& state = state_at<SemaphoreState>(object);
  if (!world.running) {
    if (state.count == 0 && deadline == kNoDeadline) fail_alone(Operation::semaphore_wait, object, code);
    if (state.count == 0) {
      scheduler().advance_clock(deadline);
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
  --state.count;
  scheduler().done(Scheduler::Effect::change, state.count);
  return 0;
}

int fail_with(int error) {
  errno = error;
  return -1;
}

int or_errno(int error) { return error == 0 ? 0 : fail_with(error); }

}  // namespace

THRUM_EXPORT int pthread_cond_init(pthread_cond_t* condition, const pthread_condattr_t* attributes) {
  THRUM_FORWARD(pthread_cond_init, condition, attributes)
  clockid_t clock = CLOCK_REALTIME;
  if (attributes) pthread_condattr_getclock(attributes, &clock);
  std::memset(static_cast<void*>(condition), 0, sizeof *condition);
  state_at<ConditionState>(address_of(condition)).clock = static_cast<std::uint32_t>(clock);
  return 0;
}

THRUM_EXPORT int pthread_cond_destroy(pthread_cond_t* condition) {
  THRUM_FORWARD(pthread_cond_destroy, condition)
  return 0;
}

THRUM_EXPORT int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  THRUM_FORWARD(pthread_cond_wait, condition, mutex)
  return wait_for_condition(condition, mutex, kNoDeadline, THRUM_CALLER);
}

THRUM_EXPORT int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                        const timespec* time) {
  THRUM_FORWARD(pthread_cond_timedwait, condition, mutex, time)
  if (!is_valid(*time)) return EINVAL;
  auto clock = static_cast<clockid_t>(state_at<ConditionState>(address_of(condition)).clock);
  return wait_for_condition(condition, mutex, clock_to_virtual(clock, *time), THRUM_CALLER);
}

THRUM_EXPORT int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                        const timespec* time) {
  THRUM_FORWARD(pthread_cond_clockwait, condition, mutex, clock, time)
  if (!is_valid(*time)) return EINVAL;
  return wait_for_condition(condition, mutex, clock_to_virtual(clock, *time), THRUM_CALLER);
}

THRUM_EXPORT int pthread_cond_signal(pthread_cond_t* condition) {
  THRUM_FORWARD(pthread_cond_signal, condition)
  wake_condition(condition, Operation::signal, THRUM_CALLER);
  return 0;
}

THRUM_EXPORT int pthread_cond_broadcast(pthread_cond_t* condition) {
  THRUM_FORWARD(pthread_cond_broadcast, condition)
  wake_condition(condition, Operation::broadcast, THRUM_CALLER);
  return 0;
}

THRUM_EXPORT int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes,
                                      unsigned count) {
  THRUM_FORWARD(pthread_barrier_init, barrier, attributes, count)
  if (count == 0) return EINVAL;
  std::memset(static_cast<void*>(barrier), 0, sizeof *barrier);
  state_at<BarrierState>(address_of(barrier)).threads = count;
  return 0;
}

THRUM_EXPORT int pthread_barrier_destroy(pthread_barrier_t* barrier) {
  THRUM_FORWARD(pthread_barrier_destroy, barrier)
  return 0;
}

THRUM_EXPORT int pthread_barrier_wait(pthread_barrier_t* barrier) {
  THRUM_FORWARD(pthread_barrier_wait, barrier)
  std::uint64_t object = address_of(barrier);
  auto& state = state_at<BarrierState>(object);
  if (!world.running) {
    if (state.threads == 1) return PTHREAD_BARRIER_SERIAL_THREAD;
    fail_alone(Operation::barrier_wait, object, THRUM_CALLER);
  }
  scheduler().arrive(Operation::barrier_wait, object, 0, THRUM_CALLER);
  bool last = ++state.arrived == state.threads;
  if (last) {
    state.arrived = 0;
    scheduler().wake(object, Operation::barrier_leave, kAll);
  }
  scheduler().done(Scheduler::Effect::change);
  if (last) return PTHREAD_BARRIER_SERIAL_THREAD;
  scheduler().arrive_until(Operation::barrier_leave, object, THRUM_CALLER, Wait::wakeup, kNoDeadline);
  scheduler().done(Scheduler::Effect::read);
  return 0;
}

THRUM_EXPORT int sem_init(sem_t* semaphore, int shared, unsigned value) {
  THRUM_FORWARD(sem_init, semaphore, shared, value)
  std::memset(static_cast<void*>(semaphore), 0, sizeof *semaphore);
  state_at<SemaphoreState>(address_of(semaphore)).count = value;
  return 0;
}

THRUM_EXPORT int sem_destroy(sem_t* semaphore) {
  THRUM_FORWARD(sem_destroy, semaphore)
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
    scheduler().arrive_in_loop(Operation::semaphore_try_wait, address_of(semaphore), 0, THRUM_CALLER);
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
  ++state.count;
  if (world.running) scheduler().done(Scheduler::Effect::change, state.count);
  return 0;
}

THRUM_EXPORT int sem_getvalue(sem_t* semaphore, int* value) {
  THRUM_FORWARD(sem_getvalue, semaphore, value)
  *value = static_cast<int>(state_at<SemaphoreState>(address_of(semaphore)).count);
  return 0;
}
