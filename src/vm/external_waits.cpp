// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Condition variables, semaphores, barriers and futexes.
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <threads.h>

#include <cstring>

#include "objects/objects.hpp"
#include "vm/library.hpp"
#include "vm/mappings.hpp"
#include "vm/mutexes.hpp"

namespace thrum::vm {

namespace {

// Of the calls below: from this phase on their wait is over.
constexpr std::uint32_t kWoken = 2;

constexpr std::uint32_t kAll = ~std::uint32_t{0};

Next misuse(Call& call, std::string what) {
  call.machine.fail_misuse(std::move(what));
  return Next::over;
}

// Whether another thread's pending operation is that wait, or one to which it will return from the handler of
// a signal.
template <typename Test>
bool another_stands(const Call& call, Test test) {
  for (std::uint16_t slot : Machine::live()) {
    const Thread& other = Machine::thread(slot);
    if (slot == call.thread.slot || other.life == Life::ended) continue;
    if (test(other)) return true;
    for (std::uint32_t number = 0; number < other.handlers; ++number) {
      const Handling& back = Signals::looked_at(other, number);
      if (back.is_between && test(back.before)) return true;
    }
  }
  return false;
}

bool sleeps_at(const Standing& thread, Operation operation, std::uint64_t object) {
  return thread.wait == Wait::wakeup && !thread.woken && thread.operation == operation &&
         thread.object == object;
}

bool waits_for_condition(const Call& call, std::uint64_t condition) {
  return another_stands(call, [condition](const Standing& other) {
    return sleeps_at(other, Operation::wait_reacquire, condition);
  });
}

// What a condition wait keeps from phase to phase.
enum KeptByWait : std::size_t { kDepth, kTimedOut, kCancelled };

// Phases: 0 arrives at the release, 1 releases and sleeps, 2 is awake, 3 has the mutex again.
Next wait_for_condition(Call& call, std::uint64_t deadline) {
  Machine& machine = call.machine;
  Thread& me = call.thread;
  const std::uint64_t condition = call.argument(0);
  const std::uint64_t mutex = call.argument(1);
  // Behind the wake-up the condition variable may be gone.
  const bool uses_condition = call.phase() < 2;
  ConditionState* const state = uses_condition ? object_at<ConditionState>(call, condition) : nullptr;
  LockState* const lock = object_at<LockState>(call, mutex);
  if ((uses_condition && state == nullptr) || lock == nullptr) return Next::over;
  const bool holds_it = lock->owner == owner_word(call);
  if (call.phase() == 0) {
    if (!holds_it && checks_owner(*lock) && !lock->is_destroyed()) return call.result_int(EPERM);
    if (!machine.in_execution) {
      if (state->is_destroyed())
        return misuse(call, "waits for a condition variable that has been destroyed");
      if (!holds_it) return misuse(call, "waits for a condition variable without holding the mutex");
      if (const auto next = wait_alone(call, Operation::wait_reacquire, condition, deadline)) return *next;
      return call.result_int(ETIMEDOUT);
    }
    if (const auto next = cancellation_point(call)) return *next;
    if (const auto next = stand(call, 0, Operation::wait_release, condition)) return *next;
  }
  if (call.phase() == 1) {
    if (state->is_destroyed()) return misuse(call, "waits for a condition variable that has been destroyed");
    if (!holds_it) return misuse(call, "waits for a condition variable without holding the mutex");
    if (another_stands(call, [&](const Standing& other) {
          return sleeps_at(other, Operation::wait_reacquire, condition) && other.lock != mutex;
        }))
      return misuse(call, "waits for a condition variable with one mutex while a thread waits with another");
    me.kept[kDepth] = lock->count;
    set(call, lock->count, std::uint32_t{0});
    give_up_mutex(call, mutex);
    machine.done(true, 0, mutex);
    machine.note_written(mutex, 1);
    if (machine.over) return Next::over;
    me.lock = mutex;
    if (const auto next =
            stand_cancellable(call, 1, Operation::wait_reacquire, condition, Wait::wakeup, deadline))
      return *next;
  }
  if (call.phase() == 2) {
    const bool cancelled = is_cancelled_in_wait(call);
    me.kept[kCancelled] = cancelled;
    const bool timed_out = me.timed_out;
    const bool spurious = me.woken_spuriously;
    me.kept[kTimedOut] = timed_out;
    me.lock = 0;
    me.timed_out = me.woken_spuriously = false;
    if (timed_out) machine.done_by_timeout();
    if (spurious) {
      me.operation = Operation::spurious_wake;
      machine.done(true);
    }
    if (timed_out || spurious || cancelled) {
      if (const auto next = stand(call, 2, Operation::wait_reacquire, mutex, 0, Wait::lock)) return *next;
    } else {
      me.phase = 3;
    }
  }
  const int error = take_mutex(call, mutex);
  if (machine.over) return Next::over;
  if (error != ENOTRECOVERABLE) set(call, lock->count, static_cast<std::uint32_t>(me.kept[kDepth]));
  me.object = condition;  // the object of its last wait is the mutex
  machine.done(true, 0, mutex);
  machine.note_written(mutex, 1);
  if (machine.over) return Next::over;
  if (me.kept[kCancelled] != 0) return machine.act_on_cancel(me, me.code);
  return call.result_int(error != 0 ? error : me.kept[kTimedOut] != 0 ? ETIMEDOUT : 0);
}

Next wait_until(Call& call, std::size_t time_argument, std::optional<clockid_t> clock) {
  const std::optional<timespec> time = time_at(call, call.argument(time_argument));
  if (!time) return Next::over;
  if (!is_valid(*time)) return call.result_int(EINVAL);
  if (!clock) {
    const ConditionState* const state = object_at<ConditionState>(call, call.argument(0));
    if (state == nullptr) return Next::over;
    clock = static_cast<clockid_t>(state->clock);
  }
  return wait_for_condition(call, clock_to_virtual(call, *clock, *time));
}

Next as_c11_wait(Call& call, Next next) {
  if (next != Next::done) return next;
  const int error = static_cast<int>(call.registers()[call.site.result]);
  return call.result_int(error == 0 ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error);
}

Next wake_condition(Call& call, Operation operation) {
  const std::uint64_t condition = call.argument(0);
  const ConditionState* const state = object_at<ConditionState>(call, condition);
  if (state == nullptr) return Next::over;
  if (const auto next = stand(call, 0, operation, condition)) return *next;
  if (state->is_destroyed())
    return misuse(call, "wakes waiters of a condition variable that has been destroyed");
  if (!call.machine.in_execution) return call.result_int(0);
  const std::uint32_t woken =
      call.machine.wake(condition, Operation::wait_reacquire, operation == Operation::signal ? 1 : kAll);
  if (call.machine.over) return Next::over;
  call.machine.done(true, woken);
  return call.machine.over ? Next::over : call.result_int(0);
}

bool initialise_condition(Call& call, clockid_t clock) {
  const std::uint64_t condition = call.argument(0);
  if (!call.machine.may_write(condition, sizeof(pthread_cond_t))) return false;
  if (waits_for_condition(call, condition)) {
    call.machine.fail_misuse("initialises a condition variable that a thread waits for");
    return false;
  }
  if (!call.machine.judge_new_object(call.thread, condition)) return false;
  pthread_cond_t fresh{};
  const auto number = static_cast<std::uint32_t>(clock);
  std::memcpy(&fresh, &number, sizeof number);
  call.machine.write(condition, &fresh, sizeof fresh);
  return true;
}

}  // namespace

Next do_cond_init(Call& call) {
  clockid_t clock = CLOCK_REALTIME;
  if (const std::uint64_t attributes = call.argument(1); attributes != 0) {
    if (!call.machine.may_read(attributes, sizeof(pthread_condattr_t))) return Next::over;
    pthread_condattr_getclock(&at<pthread_condattr_t>(attributes), &clock);
  }
  return initialise_condition(call, clock) ? call.result_int(0) : Next::over;
}

Next do_cnd_init(Call& call) {
  return initialise_condition(call, CLOCK_REALTIME) ? call.result_int(thrd_success) : Next::over;
}

Next do_cond_destroy(Call& call) {
  const std::uint64_t condition = call.argument(0);
  ConditionState* const state = object_at<ConditionState>(call, condition);
  if (state == nullptr) return Next::over;
  if (state->is_destroyed()) return misuse(call, "destroys a condition variable that has been destroyed");
  if (waits_for_condition(call, condition))
    return misuse(call, "destroys a condition variable that a thread waits for");
  if (!call.machine.judge_new_object(call.thread, condition)) return Next::over;
  set(call, state->clock, ConditionState::kDestroyed);
  return call.result_int(0);
}

Next do_cond_wait(Call& call) { return wait_for_condition(call, kNoDeadline); }
Next do_cond_timedwait(Call& call) { return wait_until(call, 2, std::nullopt); }
Next do_cond_clockwait(Call& call) { return wait_until(call, 3, call.int_argument(2)); }
Next do_cnd_wait(Call& call) { return as_c11_wait(call, wait_for_condition(call, kNoDeadline)); }
Next do_cnd_timedwait(Call& call) { return as_c11_wait(call, wait_until(call, 2, CLOCK_REALTIME)); }
Next do_cond_signal(Call& call) { return wake_condition(call, Operation::signal); }
Next do_cond_broadcast(Call& call) { return wake_condition(call, Operation::broadcast); }

// Semaphores.

namespace {

bool waits_for_semaphore(const Call& call, std::uint64_t semaphore) {
  return another_stands(call, [semaphore](const Standing& other) {
    return other.wait == Wait::semaphore && other.object == semaphore && semaphore_count(semaphore) == 0;
  });
}

Next take_semaphore(Call& call, std::uint64_t deadline) {
  const std::uint64_t object = call.argument(0);
  SemaphoreState* const state = object_at<SemaphoreState>(call, object);
  if (state == nullptr) return Next::over;
  if (call.phase() == 0 && !call.machine.in_execution) {
    if (state->is_destroyed()) return misuse(call, "waits for a semaphore that has been destroyed");
    if (state->count == 0) {
      if (const auto next = wait_alone(call, Operation::semaphore_wait, object, deadline)) return *next;
      return fail_with(call, ETIMEDOUT);
    }
    set(call, state->count, state->count - 1);
    return call.result_int(0);
  }
  if (call.phase() == 0) {
    if (const auto next = cancellation_point(call)) return *next;
  }
  if (const auto next =
          stand_cancellable(call, 0, Operation::semaphore_wait, object, Wait::semaphore, deadline))
    return *next;
  if (is_cancelled_in_wait(call)) return call.machine.act_on_cancel(call.thread, call.thread.code);
  if (call.thread.timed_out) {
    call.thread.timed_out = false;
    call.machine.done_by_timeout();
    return fail_with(call, ETIMEDOUT);
  }
  if (call.thread.interrupted) return fail_with(call, EINTR);
  call.thread.timed = false;
  if (state->is_destroyed()) return misuse(call, "waits for a semaphore that has been destroyed");
  set(call, state->count, state->count - 1);
  call.machine.done(true, state->count);
  return call.machine.over ? Next::over : call.result_int(0);
}

Next take_semaphore_until(Call& call, std::size_t argument, clockid_t clock) {
  const std::optional<timespec> time = time_at(call, call.argument(argument));
  if (!time) return Next::over;
  if (!is_valid(*time)) return fail_with(call, EINVAL);
  return take_semaphore(call, clock_to_virtual(call, clock, *time));
}

}  // namespace

Next do_sem_init(Call& call) {
  const std::uint64_t object = call.argument(0);
  const auto count = static_cast<std::uint32_t>(call.argument(2));
  if (count > SEM_VALUE_MAX) return fail_with(call, EINVAL);
  if (!call.machine.may_write(object, sizeof(sem_t))) return Next::over;
  if (waits_for_semaphore(call, object))
    return misuse(call, "initialises a semaphore that a thread waits for");
  if (!call.machine.judge_new_object(call.thread, object)) return Next::over;
  sem_t fresh{};
  std::memcpy(&fresh, &count, sizeof count);
  call.machine.write(object, &fresh, sizeof fresh);
  return call.result_int(0);
}

Next do_sem_destroy(Call& call) {
  const std::uint64_t object = call.argument(0);
  SemaphoreState* const state = object_at<SemaphoreState>(call, object);
  if (state == nullptr) return Next::over;
  if (state->is_destroyed()) return misuse(call, "destroys a semaphore that has been destroyed");
  if (waits_for_semaphore(call, object)) return misuse(call, "destroys a semaphore that a thread waits for");
  if (!call.machine.judge_new_object(call.thread, object)) return Next::over;
  set(call, *state, SemaphoreState{1, SemaphoreState::kDestroyed});
  return call.result_int(0);
}

Next do_sem_wait(Call& call) { return take_semaphore(call, kNoDeadline); }
Next do_sem_timedwait(Call& call) { return take_semaphore_until(call, 1, CLOCK_REALTIME); }
Next do_sem_clockwait(Call& call) { return take_semaphore_until(call, 2, call.int_argument(1)); }

Next do_sem_trywait(Call& call) {
  const std::uint64_t object = call.argument(0);
  SemaphoreState* const state = object_at<SemaphoreState>(call, object);
  if (state == nullptr) return Next::over;
  if (const auto next = stand(call, 0, Operation::semaphore_try_wait, object)) return *next;
  if (state->is_destroyed()) return misuse(call, "waits for a semaphore that has been destroyed");
  const bool taken = state->count != 0;
  if (taken) set(call, state->count, state->count - 1);
  call.machine.done(taken, state->count, 0, taken ? Outcome::done : Outcome::failed);
  if (call.machine.over) return Next::over;
  return taken ? call.result_int(0) : fail_with(call, EAGAIN);
}

Next do_sem_post(Call& call) {
  const std::uint64_t object = call.argument(0);
  SemaphoreState* const state = object_at<SemaphoreState>(call, object);
  if (state == nullptr) return Next::over;
  if (const auto next = stand(call, 0, Operation::semaphore_post, object)) return *next;
  if (state->is_destroyed()) return misuse(call, "posts a semaphore that has been destroyed");
  const bool is_full = state->count == SEM_VALUE_MAX;
  if (!is_full) set(call, state->count, state->count + 1);
  call.machine.done(true, state->count);
  if (call.machine.over) return Next::over;
  return is_full ? fail_with(call, EOVERFLOW) : call.result_int(0);
}

Next do_sem_getvalue(Call& call) {
  const std::uint64_t object = call.argument(0);
  SemaphoreState* const state = object_at<SemaphoreState>(call, object);
  if (state == nullptr) return Next::over;
  if (const auto next = stand(call, 0, Operation::load, object, sizeof state->count)) return *next;
  if (state->is_destroyed()) return misuse(call, "reads the value of a semaphore that has been destroyed");
  if (!call.machine.may_write(call.argument(1), sizeof(int))) return Next::over;
  call.machine.write(call.argument(1), static_cast<int>(state->count));
  call.machine.done(false, state->count);
  return call.machine.over ? Next::over : call.result_int(0);
}

// Barriers.

namespace {

// Says that the barrier was initialised where it lies.
constexpr std::uint32_t kInitialised = 0xba991e20;

bool waits_at_barrier(const Call& call, std::uint64_t barrier) {
  return another_stands(
      call, [barrier](const Standing& other) { return sleeps_at(other, Operation::barrier_leave, barrier); });
}

}  // namespace

Next do_barrier_init(Call& call) {
  const std::uint64_t object = call.argument(0);
  const auto count = static_cast<std::uint32_t>(call.argument(2));
  if (count == 0) return call.result_int(EINVAL);
  if (!call.machine.may_write(object, sizeof(pthread_barrier_t))) return Next::over;
  if (waits_at_barrier(call, object)) return misuse(call, "initialises a barrier that a thread waits at");
  const BarrierState& old = at<BarrierState>(object);
  const bool is_kept = object - kGlobals < kGlobalsSize || call.machine.heap.find(object).has_value();
  if (is_kept && old.threads != 0 && old.mark == kInitialised &&
      Memory::first_unfit(object, sizeof(BarrierState), kDefined) == object + sizeof(BarrierState))
    return misuse(call, "initialises a barrier that is initialised already");
  if (!call.machine.judge_new_object(call.thread, object)) return Next::over;
  pthread_barrier_t fresh{};
  const BarrierState state{count, 0, kInitialised};
  std::memcpy(&fresh, &state, sizeof state);
  call.machine.write(object, &fresh, sizeof fresh);
  return call.result_int(0);
}

Next do_barrier_destroy(Call& call) {
  const std::uint64_t object = call.argument(0);
  BarrierState* const state = object_at<BarrierState>(call, object);
  if (state == nullptr) return Next::over;
  if (state->is_destroyed()) return misuse(call, "destroys a barrier that has been destroyed");
  if (waits_at_barrier(call, object)) return misuse(call, "destroys a barrier that a thread waits at");
  if (!call.machine.judge_new_object(call.thread, object)) return Next::over;
  const BarrierState destroyed{0, 0, BarrierState::kDestroyed};
  call.machine.write(object, &destroyed, sizeof destroyed);
  return call.result_int(0);
}

Next do_barrier_wait(Call& call) {
  Machine& machine = call.machine;
  const std::uint64_t object = call.argument(0);
  // Behind the wake-up it may be gone.
  BarrierState* const state = call.phase() < kWoken ? object_at<BarrierState>(call, object) : nullptr;
  if (state == nullptr && call.phase() < kWoken) return Next::over;
  if (const auto next = stand(call, 0, Operation::barrier_wait, object)) return *next;
  if (call.phase() == 1) {
    if (state->is_destroyed()) return misuse(call, "waits at a barrier that has been destroyed");
    if (state->threads == 0) return misuse(call, "waits at a barrier that was never initialised");
    if (!machine.in_execution) {
      if (state->threads == 1) return call.result_int(PTHREAD_BARRIER_SERIAL_THREAD);
      return fail_alone(call, Operation::barrier_wait, object);
    }
    const std::uint32_t arrived = state->arrived + 1;
    const bool last = arrived == state->threads;
    set(call, state->arrived, last ? 0 : arrived);
    if (last) machine.wake(object, Operation::barrier_leave, kAll);
    machine.done(true, arrived, last ? 1 : 0);
    if (machine.over) return Next::over;
    if (last) return call.result_int(PTHREAD_BARRIER_SERIAL_THREAD);
    if (const auto next = stand_until(call, 1, Operation::barrier_leave, object, Wait::wakeup, kNoDeadline))
      return *next;
  }
  machine.done(false);
  return machine.over ? Next::over : call.result_int(0);
}

// Futexes: the basis of C++20's atomic waiting, latches, barriers, semaphores and futures.

namespace {

Next fail_system_call(Call& call, int error) {
  set_errno(call, error);
  return call.result(static_cast<std::uint64_t>(-1));
}

Next futex_wait(Call& call, std::uint64_t word, int operation, std::uint32_t expected,
                std::uint64_t timeout) {
  Machine& machine = call.machine;
  if (call.phase() < kWoken && !machine.may_read(word, sizeof expected)) return Next::over;
  std::uint64_t& deadline = call.thread.kept[0];
  if (call.phase() == 0) deadline = kNoDeadline;
  if (call.phase() == 0 && timeout != 0) {
    const std::optional<timespec> time = time_at(call, timeout);
    if (!time) return Next::over;
    const bool is_relative = (operation & FUTEX_CMD_MASK) == FUTEX_WAIT;
    const clockid_t clock = (operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    deadline =
        is_relative ? Machine::course().now_ns + duration_ns(*time) : clock_to_virtual(call, clock, *time);
  }
  if (!machine.in_execution) {
    if (at<std::uint32_t>(word) != expected) return fail_system_call(call, EAGAIN);
    if (const auto next = wait_alone(call, Operation::futex_wait, word, deadline)) return *next;
    return fail_system_call(call, ETIMEDOUT);
  }
  if (const auto next = stand(call, 0, Operation::futex_wait, word, sizeof expected)) return *next;
  if (call.phase() == 1) {
    const std::uint32_t value = at<std::uint32_t>(word);
    const bool sleeps = value == expected;
    machine.done(sleeps, value, 0, sleeps ? Outcome::done : Outcome::failed);
    if (machine.over) return Next::over;
    if (!sleeps) return fail_system_call(call, EAGAIN);
    call.thread.in_kernel = true;
    if (const auto next = stand_until(call, 1, Operation::futex_return, word, Wait::wakeup, deadline))
      return *next;
  }
  call.thread.in_kernel = false;
  if (call.thread.interrupted) return fail_system_call(call, EINTR);
  if (call.thread.timed_out) {
    call.thread.timed_out = false;
    machine.done_by_timeout();
    return fail_system_call(call, ETIMEDOUT);
  }
  machine.done(false);
  return machine.over ? Next::over : call.result(0);
}

Next futex_wake(Call& call, std::uint64_t word, std::uint32_t most) {
  Machine& machine = call.machine;
  if (!machine.in_execution) return call.result(0);
  if (const auto next = stand(call, 0, Operation::futex_wake, word, sizeof(std::uint32_t))) return *next;
  const std::uint32_t woken = machine.wake(word, Operation::futex_return, most);
  if (machine.over) return Next::over;
  machine.done(true, woken, most);
  return machine.over ? Next::over : call.result(woken);
}

}  // namespace

Next do_syscall(Call& call) {
  const auto number = static_cast<long>(call.argument(0));
  if (number == SYS_futex) {
    const std::uint64_t word = call.argument(1);
    const int operation = call.int_argument(2);
    const auto value = static_cast<std::uint32_t>(call.argument(3));
    switch (operation & FUTEX_CMD_MASK) {
      case FUTEX_WAIT:
      case FUTEX_WAIT_BITSET: return futex_wait(call, word, operation, value, call.argument(4));
      case FUTEX_WAKE:
      case FUTEX_WAKE_BITSET: return futex_wake(call, word, value);
      default: break;
    }
  }
  if (const auto next = answer_mapping_call(call, number)) return *next;
  if (number == SYS_sched_yield) return do_yield(call);
  if (number == SYS_gettid || number == SYS_getpid) return call.result(call.thread.slot + std::uint64_t{1});
  call.machine.refused = "the system call number " + std::to_string(number);
  call.machine.finish(End::refused);
  return Next::over;
}

}  // namespace thrum::vm
