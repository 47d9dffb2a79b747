// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Condition variables, including C11's; barriers.
//
// A condition wait is two events: releasing the mutex and going to sleep; and locking the mutex again. If the
// wait times out, or ends without a reason (--spurious), that is an event between the two.

#include <pthread.h>
#include <threads.h>
#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/intercept/intercept_lock.hpp"
#include "runtime/threads/cancellation.hpp"

using namespace thrum;

namespace {

constexpr std::uint32_t kAll = ~std::uint32_t{0};
constexpr const char* kWaits = "waits for a condition variable";
constexpr const char* kWithoutMutex = "waits for a condition variable without holding the mutex";

int wait_for_condition(pthread_cond_t* condition, pthread_mutex_t* mutex, std::uint64_t deadline,
                       std::uint64_t code) {
  std::uint64_t object = address_of(condition);
  std::uint64_t lock_object = address_of(mutex);
  auto& lock = state_at<LockState>(lock_object);
  const bool holds_it = lock.owner == running_owner();
  const auto& state = state_at<ConditionState>(object);
  if (!holds_it && checks_owner(lock) && !lock.is_destroyed()) return EPERM;
  if (!world.running) {
    check_alive(state, kWaits, code);
    if (!holds_it) fail_misuse(kWithoutMutex, code);
    wait_alone(Operation::wait_reacquire, object, code, deadline);
    return ETIMEDOUT;
  }
  cancellation_point(code);
  scheduler().arrive(Operation::wait_release, object, 0, code);
  check_alive(state, kWaits, code);
  if (!holds_it) fail_misuse(kWithoutMutex, code);
  check_same_mutex(object, lock_object, code);
  std::uint32_t depth = std::exchange(lock.count, 0u);
  give_up(lock_object);
  scheduler().done(Scheduler::Effect::change, 0, lock_object);
  scheduler().note_write(lock_object);

  Thread& me = scheduler().current();
  me.lock = lock_object;
  bool goes_on = wait_at_cancellation_point(Operation::wait_reacquire, object, code, Wait::wakeup, deadline);
  bool timed_out = me.timed_out;
  me.lock = 0;
  bool spurious = std::exchange(me.woken_spuriously, false);
  if (timed_out) done_by_timeout();
  if (spurious) {
    me.operation = Operation::spurious_wake;
    scheduler().done(Scheduler::Effect::change);
  }
  if (timed_out || spurious || !goes_on) {
    scheduler().arrive(Operation::wait_reacquire, lock_object, 0, code, Wait::lock);
  }
  int error = take_again(lock_object);
  if (error != ENOTRECOVERABLE) lock.count = depth;
  me.object = object;  // the object of its last wait is the mutex
  scheduler().done(Scheduler::Effect::change, 0, lock_object);
  scheduler().note_write(lock_object);
  if (!goes_on) act_on_cancel(code);
  return error != 0 ? error : timed_out ? ETIMEDOUT : 0;
}

void wake_condition(pthread_cond_t* condition, Operation operation, std::uint64_t code) {
  if (world.running) scheduler().arrive(operation, address_of(condition), 0, code);
  check_alive(state_at<ConditionState>(address_of(condition)), "wakes waiters of a condition variable", code);
  if (!world.running) return;
  std::uint32_t woken = scheduler().wake(address_of(condition), Operation::wait_reacquire,
                                         operation == Operation::signal ? 1 : kAll);
  scheduler().done(Scheduler::Effect::change, woken);
}

// Threads that were woken and are not back yet do not use it any more.
void destroy_condition(std::uint64_t object, std::uint64_t code) {
  auto& state = state_at<ConditionState>(object);
  check_alive(state, "destroys a condition variable", code);
  check_condition_unused(object, "destroys", code);
  begin_anew(object, code);
  world.wrote = true;
  state.clock = ConditionState::kDestroyed;
}

}  // namespace

THRUM_EXPORT int pthread_cond_init(pthread_cond_t* condition, const pthread_condattr_t* attributes) {
  THRUM_FORWARD(pthread_cond_init, condition, attributes)
  check_condition_unused(address_of(condition), "initialises", THRUM_CALLER);
  begin_anew(address_of(condition), THRUM_CALLER);
  clockid_t clock = CLOCK_REALTIME;
  if (attributes) pthread_condattr_getclock(attributes, &clock);
  std::memset(static_cast<void*>(condition), 0, sizeof *condition);
  state_at<ConditionState>(address_of(condition)).clock = static_cast<std::uint32_t>(clock);
  return 0;
}

THRUM_EXPORT int pthread_cond_destroy(pthread_cond_t* condition) {
  THRUM_FORWARD(pthread_cond_destroy, condition)
  destroy_condition(address_of(condition), THRUM_CALLER);
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

THRUM_EXPORT int cnd_init(cnd_t* condition) {
  THRUM_FORWARD(cnd_init, condition)
  check_condition_unused(address_of(condition), "initialises", THRUM_CALLER);
  begin_anew(address_of(condition), THRUM_CALLER);
  std::memset(static_cast<void*>(condition), 0, sizeof *condition);
  return thrd_success;
}

THRUM_EXPORT void cnd_destroy(cnd_t* condition) {
  THRUM_FORWARD(cnd_destroy, condition)
  destroy_condition(address_of(condition), THRUM_CALLER);
}

namespace {

int wait_c11(cnd_t* condition, mtx_t* mutex, std::uint64_t deadline, std::uint64_t code) {
  int error = wait_for_condition(reinterpret_cast<pthread_cond_t*>(condition),
                                 reinterpret_cast<pthread_mutex_t*>(mutex), deadline, code);
  return error == 0 ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}

}  // namespace

THRUM_EXPORT int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  THRUM_FORWARD(cnd_wait, condition, mutex)
  return wait_c11(condition, mutex, kNoDeadline, THRUM_CALLER);
}

THRUM_EXPORT int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* time) {
  THRUM_FORWARD(cnd_timedwait, condition, mutex, time)
  std::uint64_t deadline;
  if (timed(time, CLOCK_REALTIME, deadline) != 0) return thrd_error;
  return wait_c11(condition, mutex, deadline, THRUM_CALLER);
}

THRUM_EXPORT int cnd_signal(cnd_t* condition) {
  THRUM_FORWARD(cnd_signal, condition)
  wake_condition(reinterpret_cast<pthread_cond_t*>(condition), Operation::signal, THRUM_CALLER);
  return thrd_success;
}

THRUM_EXPORT int cnd_broadcast(cnd_t* condition) {
  THRUM_FORWARD(cnd_broadcast, condition)
  wake_condition(reinterpret_cast<pthread_cond_t*>(condition), Operation::broadcast, THRUM_CALLER);
  return thrd_success;
}

THRUM_EXPORT int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes,
                                      unsigned count) {
  THRUM_FORWARD(pthread_barrier_init, barrier, attributes, count)
  if (count == 0) return EINVAL;
  check_barrier_new(address_of(barrier), THRUM_CALLER);
  begin_anew(address_of(barrier), THRUM_CALLER);
  std::memset(static_cast<void*>(barrier), 0, sizeof *barrier);
  state_at<BarrierState>(address_of(barrier)) = {count, 0, barrier_mark(address_of(barrier))};
  return 0;
}

THRUM_EXPORT int pthread_barrier_destroy(pthread_barrier_t* barrier) {
  THRUM_FORWARD(pthread_barrier_destroy, barrier)
  auto& state = state_at<BarrierState>(address_of(barrier));
  check_alive(state, "destroys a barrier", THRUM_CALLER);
  check_barrier_unused(address_of(barrier), "destroys", THRUM_CALLER);
  begin_anew(address_of(barrier), THRUM_CALLER);
  world.wrote = true;
  state = {0, 0, BarrierState::kDestroyed};
  return 0;
}

THRUM_EXPORT int pthread_barrier_wait(pthread_barrier_t* barrier) {
  THRUM_FORWARD(pthread_barrier_wait, barrier)
  std::uint64_t object = address_of(barrier);
  auto& state = state_at<BarrierState>(object);
  if (world.running) scheduler().arrive(Operation::barrier_wait, object, 0, THRUM_CALLER);
  check_alive(state, "waits at a barrier", THRUM_CALLER);
  if (state.threads == 0) fail_misuse("waits at a barrier that was never initialised", THRUM_CALLER);
  if (!world.running) {
    if (state.threads == 1) return PTHREAD_BARRIER_SERIAL_THREAD;
    fail_alone(Operation::barrier_wait, object, THRUM_CALLER);
  }
  std::uint32_t arrived = ++state.arrived;
  bool last = arrived == state.threads;
  if (last) {
    state.arrived = 0;
    scheduler().wake(object, Operation::barrier_leave, kAll);
  }
  scheduler().done(Scheduler::Effect::change, arrived, last ? 1 : 0);
  if (last) return PTHREAD_BARRIER_SERIAL_THREAD;
  scheduler().arrive_until(Operation::barrier_leave, object, THRUM_CALLER, Wait::wakeup, kNoDeadline);
  scheduler().done(Scheduler::Effect::read);
  return 0;
}
