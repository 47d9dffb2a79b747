// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads: creation, end, join; their own data; what is done once.
#include <pthread.h>
#include <threads.h>

#include <algorithm>
#include <cstring>

#include "objects/objects.hpp"
#include "vm/library.hpp"
#include "vm/unwind.hpp"

namespace thrum::vm {

namespace {

void take_attributes(Thread& child, const pthread_attr_t& attributes) {
  int state = PTHREAD_CREATE_JOINABLE;
  pthread_attr_getdetachstate(&attributes, &state);
  child.detached = state == PTHREAD_CREATE_DETACHED;
  pthread_attr_getguardsize(&attributes, &child.guard_size);
  std::size_t size = 0;
  void* begin = nullptr;
  pthread_attr_getstack(&attributes, &begin, &size);
  if (const std::uint64_t end = reinterpret_cast<std::uint64_t>(begin) + size; end != 0) {
    child.stack_size = size;
    child.own_stack_end = end & ~std::uint64_t{15};
    child.top->stack_begin = child.top->stack_pointer = child.own_stack_end;
    return;
  }
  pthread_attr_getstacksize(&attributes, &size);
  // Twice a small size: here variables of one function share no place, as compiled code lets them.
  child.stack_size = size < kStackSize ? std::min<std::uint64_t>(2 * size, kStackSize)
                                       : std::min<std::uint64_t>(size, kStackSizeMax);
}

// Phases: 0 creates and starts the thread, 1 the new thread stands before its first visible operation.
Next create_thread(Call& call, std::uint64_t attributes, std::uint64_t body, std::uint64_t argument,
                   bool returns_int) {
  Machine& machine = call.machine;
  if (!machine.in_execution) return Next::begins;
  if (call.phase() == 1) return call.result_int(0);
  machine.note_change(call.thread);  // a loop that creates threads does not wait
  if (!machine.may_write(call.argument(0), sizeof(pthread_t))) return Next::over;
  if (attributes != 0 && !machine.may_read(attributes, sizeof(pthread_attr_t))) return Next::over;
  Thread* const child = machine.create(body, argument);
  if (child == nullptr) return Next::over;
  if (attributes != 0) take_attributes(*child, at<pthread_attr_t>(attributes));
  child->returns_int = returns_int;
  machine.write(call.argument(0), child->handle());
  machine.note_in_trace(Operation::thread_create, *child);
  machine.started = child->slot;
  call.thread.phase = 1;
  return Next::started;
}

// Why the running thread cannot wait for that thread; 0: it can.
int join_error(Call& call, const Thread* other) {
  if (other == nullptr) return ESRCH;
  if (other == &call.thread) return EDEADLK;
  if (!other->detached && !other->joined_by_someone) return 0;
  call.machine.trace->reveals_threads = true;
  return EINVAL;
}

Next finish_join(Call& call, Thread& other, std::uint64_t result_at) {
  Machine& machine = call.machine;
  machine.note_change(call.thread);
  machine.note_in_trace(Operation::thread_join, other);
  if (machine.judges) machine.races.join(call.thread.number, other.number);
  if (!put_value(call, result_at, other.result)) return Next::over;
  machine.change(other).released = true;
  return call.result_int(0);
}

// Phases: 0 asks, 1 the other thread has ended, or this one is cancelled, 2 it handles the signals that it
// was sent, 3 it has.
Next join_thread(Call& call, std::uint64_t handle, std::uint64_t result_at) {
  Machine& machine = call.machine;
  if (!machine.in_execution) return call.result_int(ESRCH);
  Thread& me = call.thread;
  if (call.phase() == 0) {
    Thread* const other = machine.find_thread(handle);
    if (const int error = join_error(call, other)) return call.result_int(error);
    if (const auto next = cancellation_point(call)) return *next;
    machine.change(*other).joined_by_someone = true;
    me.phase = 1;
    me.kept[0] = other->slot;
    if (wait_for_end(call, *other)) return Next::arrived;
    if (machine.over) return Next::over;
  }
  Thread& other = Machine::thread(static_cast<std::uint32_t>(me.kept[0]));
  if (call.phase() == 1) {
    me.at_cancellation_point = false;
    if (other.life != Life::ended) {
      machine.change(other).joined_by_someone = false;
      return machine.act_on_cancel(me, machine.code_of(me));
    }
    me.phase = Signals::any_pending() && Signals::has_own(me) ? 2 : 4;
  }
  if (call.phase() < 4) {
    if (const auto next = stand(call, 2, Operation::signal_pending, kSignalObject, 0, Wait::handlers))
      return *next;
    machine.done(false);
    if (machine.over) return Next::over;
    me.phase = 4;
  }
  return finish_join(call, other, result_at);
}

Next join_until(Call& call, clockid_t clock, std::size_t time_argument) {
  Machine& machine = call.machine;
  if (!machine.in_execution) return call.result_int(ESRCH);
  Thread& me = call.thread;
  if (call.phase() == 0) {
    const std::optional<timespec> time = time_at(call, call.argument(time_argument));
    if (!time) return Next::over;
    if (!is_valid(*time)) return call.result_int(EINVAL);
    Thread* const other = machine.find_thread(call.argument(0));
    if (const int error = join_error(call, other)) return call.result_int(error);
    if (const auto next = cancellation_point(call)) return *next;
    me.joined = other->slot;
    if (const auto next = stand_cancellable(call, 0, Operation::try_join, other->object_address(),
                                            Wait::ended, clock_to_virtual(call, clock, *time)))
      return *next;
  }
  if (is_cancelled_in_wait(call)) return machine.act_on_cancel(me, me.code);
  if (me.timed_out) {
    me.timed_out = false;
    machine.done_by_timeout();
    return call.result_int(ETIMEDOUT);
  }
  me.timed = false;
  machine.done(false);
  if (machine.over) return Next::over;
  Thread& other = Machine::thread(me.joined);
  machine.change(other).joined_by_someone = true;
  return finish_join(call, other, call.argument(1));
}

Next detach_thread(Call& call) {
  Machine& machine = call.machine;
  if (!machine.in_execution) return call.result_int(0);
  Thread* const other = machine.find_thread(call.argument(0));
  if (other == nullptr) return call.result_int(ESRCH);
  if (call.phase() == 0 && other->detached) return call.result_int(EINVAL);
  if (const auto next = stand(call, 0, Operation::detach, other->object_address())) return *next;
  machine.change(*other).detached = true;
  if (other->life == Life::ended) other->released = true;
  machine.done(true);
  return machine.over ? Next::over : call.result_int(0);
}

int thrd_error_of(int error) {
  switch (error) {
    case 0: return thrd_success;
    case ENOMEM: return thrd_nomem;
    case ETIMEDOUT: return thrd_timedout;
    case EBUSY: return thrd_busy;
    default: return thrd_error;
  }
}

Next as_c11_thread(Call& call, Next next) {
  if (next != Next::done) return next;
  return call.result_int(thrd_error_of(static_cast<int>(call.registers()[call.site.result])));
}

// A list of two words each, in the thread's part of the memory.
struct ThreadRow {
  std::uint64_t function;
  std::uint64_t value;
};
constexpr std::uint64_t kLists = std::uint64_t{1} << 24;  // behind the begin of the thread's local storage
constexpr std::uint32_t kDestructorsMax = 1 << 16;
ThreadRow& destructor_row(const Thread& thread, std::uint32_t number) {
  return at<ThreadRow>(thread.local_storage() + kLists + number * sizeof(ThreadRow));
}
std::uint64_t& key_value(const Thread& thread, std::uint32_t key) {
  return at<std::uint64_t>(thread.local_storage() + 2 * kLists + key * sizeof(std::uint64_t));
}
// Which keys there are, and their destructors: as main's.
ThreadRow& key_row(std::uint32_t key) {
  return at<ThreadRow>(thread_part(0) + kLocalStorage + 3 * kLists + key * sizeof(ThreadRow));
}
constexpr std::uint64_t kUsed = 1;
bool is_key(std::uint32_t key) { return key < Thread::kKeysMax && key_row(key).value == kUsed; }

}  // namespace

void Machine::add_held_for(const Thread& thread, std::vector<std::uint64_t>& addresses) {
  for (std::uint32_t number = 0; number < thread.destructors; ++number)
    addresses.push_back(destructor_row(thread, number).value);
  for (std::uint32_t key = 0; key < thread.keys_used; ++key) addresses.push_back(key_value(thread, key));
}

void Machine::forget_keys(const Thread& former) {
  for (std::uint32_t key = 0; key < former.keys_used; ++key)
    memory.put(key_value(former, key), std::uint64_t{0});
}

bool wait_for_end(Call& call, Thread& other) {
  Machine& machine = call.machine;
  Thread& me = call.thread;
  if (other.life == Life::ended) {
    me.joined = other.slot;
    return false;
  }
  static_cast<Standing&>(me) = {};
  me.joined = other.slot;
  me.operation = Operation::thread_join;
  me.code = machine.code_of(me);
  if (me.atomic_depth != 0) {
    machine.fail_misuse("blocks inside an atomic section");
    return false;
  }
  me.wait = Wait::join;
  me.at_cancellation_point = true;
  me.life = Life::standing;
  return true;
}

Next do_pthread_create(Call& call) {
  return create_thread(call, call.argument(1), call.argument(2), call.argument(3), false);
}
Next do_thrd_create(Call& call) {
  return as_c11_thread(call, create_thread(call, 0, call.argument(1), call.argument(2), true));
}
Next do_pthread_join(Call& call) { return join_thread(call, call.argument(0), call.argument(1)); }

Next do_thrd_join(Call& call) {
  // Its result is an int, which is written last.
  const Next next = join_thread(call, call.argument(0), 0);
  if (next != Next::done) return next;
  const int error = static_cast<int>(call.registers()[call.site.result]);
  if (error == 0 && call.argument(1) != 0) {
    if (!call.machine.may_write(call.argument(1), sizeof(int))) return Next::over;
    call.machine.write(
        call.argument(1),
        static_cast<int>(Machine::thread(static_cast<std::uint32_t>(call.thread.kept[0])).result));
  }
  return call.result_int(thrd_error_of(error));
}

Next do_pthread_tryjoin(Call& call) {
  Machine& machine = call.machine;
  if (!machine.in_execution) return call.result_int(ESRCH);
  Thread* const other = machine.find_thread(call.argument(0));
  if (call.phase() == 0) {
    if (const int error = join_error(call, other)) return call.result_int(error);
    if (const auto next = stand(call, 0, Operation::try_join, other->object_address())) return *next;
  }
  const bool ended = other->life == Life::ended;
  machine.done(false, 0, 0, ended ? Outcome::done : Outcome::failed);
  if (machine.over) return Next::over;
  if (!ended) return call.result_int(EBUSY);
  machine.change(*other).joined_by_someone = true;
  return finish_join(call, *other, call.argument(1));
}

Next do_pthread_timedjoin(Call& call) { return join_until(call, CLOCK_REALTIME, 2); }
Next do_pthread_clockjoin(Call& call) { return join_until(call, call.int_argument(2), 3); }
Next do_pthread_detach(Call& call) { return detach_thread(call); }
Next do_thrd_detach(Call& call) { return as_c11_thread(call, detach_thread(call)); }
Next do_pthread_self(Call& call) { return call.result(call.thread.handle()); }
Next do_pthread_equal(Call& call) { return call.result_int(call.argument(0) == call.argument(1)); }

Next do_pthread_exit(Call& call) {
  call.thread.result = call.argument(0);
  call.thread.cancellation.disabled = true;
  return unwind_thread(call.machine, call.thread);
}
Next do_thrd_exit(Call& call) {
  call.thread.result = static_cast<std::uint64_t>(std::int64_t{call.int_argument(0)});
  call.thread.cancellation.disabled = true;
  return unwind_thread(call.machine, call.thread);
}

// Thread-specific data.

Next do_key_create(Call& call) {
  Machine& machine = call.machine;
  for (std::uint32_t key = 0; key < Thread::kKeysMax; ++key) {
    if (is_key(key)) continue;
    if (!machine.may_write(call.argument(0), sizeof key)) return Next::over;
    machine.memory.note(reinterpret_cast<std::uint64_t>(&key_row(key)), sizeof(ThreadRow));
    key_row(key) = {call.argument(1), kUsed};
    machine.change_course().keys = std::max(Machine::course().keys, key + 1);
    for (std::uint16_t slot : Machine::live())
      machine.memory.put(key_value(Machine::thread(slot), key), std::uint64_t{0});
    return put_value(call, call.argument(0), key) ? call.result_int(0) : Next::over;
  }
  return call.result_int(EAGAIN);
}

Next do_key_delete(Call& call) {
  const auto key = static_cast<std::uint32_t>(call.argument(0));
  if (!is_key(key)) return call.result_int(EINVAL);
  call.machine.memory.put(key_row(key).value, std::uint64_t{0});
  return call.result_int(0);
}

Next do_setspecific(Call& call) {
  const auto key = static_cast<std::uint32_t>(call.argument(0));
  if (!is_key(key)) return call.result_int(EINVAL);
  call.machine.memory.put(key_value(call.thread, key), call.argument(1));
  call.thread.keys_used = std::max(call.thread.keys_used, key + 1);
  return call.result_int(0);
}

Next do_getspecific(Call& call) {
  const auto key = static_cast<std::uint32_t>(call.argument(0));
  return call.result(key < Thread::kKeysMax ? key_value(call.thread, key) : 0);
}

Next do_thread_atexit(Call& call) {
  Thread& me = call.thread;
  if (me.destructors == kDestructorsMax) return call.result_int(-1);
  ThreadRow& row = destructor_row(me, me.destructors++);
  call.machine.memory.note(reinterpret_cast<std::uint64_t>(&row), sizeof row);
  row = {call.argument(0), call.argument(1)};
  return call.result_int(0);
}

bool Machine::run_thread_destructor(Thread& me, Then then) {
  while (me.destructors != 0) {
    const ThreadRow row = destructor_row(me, --me.destructors);
    if (Function* const function = function_at_address(row.function); function && function->is_defined) {
      push(me, *function, {row.value}, then);
      return true;
    }
  }
  // Each key once a round, at most four rounds.
  constexpr std::uint32_t kDestructorRounds = PTHREAD_DESTRUCTOR_ITERATIONS;
  for (; me.key_round < kDestructorRounds; ++me.key_round, me.next_key = 0) {
    while (me.next_key < me.keys_used) {
      const std::uint32_t key = me.next_key++;
      const std::uint64_t value = key_value(me, key);
      if (value == 0 || !is_key(key) || key_row(key).function == 0) continue;
      memory.put(key_value(me, key), std::uint64_t{0});
      if (Function* const function = function_at_address(key_row(key).function);
          function && function->is_defined) {
        push(me, *function, {value}, then);
        return true;
      }
    }
  }
  return false;
}

// Once.

namespace {

Next finish_once(Call& call, std::uint64_t value = 0) {
  return call.machine.over ? Next::over : call.result(value);
}

}  // namespace

// Phases: 0 arrives, 1 may enter, 2 the routine has returned, 3 leaves.
Next do_pthread_once(Call& call) {
  Machine& machine = call.machine;
  const std::uint64_t object = call.argument(0);
  std::int32_t* const once = object_at<std::int32_t>(call, object);
  if (once == nullptr) return Next::over;
  if (call.phase() == 0) {
    const bool is_quiet = call.thread.top->function->is_quiet;
    if (*once == kOnceDone && is_quiet) return call.result_int(0);
    if (!machine.in_execution && *once == kOnceRunning)
      return fail_alone(call, Operation::once_enter, object);
    if (const auto next = stand(call, 0, Operation::once_enter, object, 0, Wait::once)) return *next;
  }
  if (call.phase() == 1) {
    if (*once == kOnceDone) {
      machine.done(false, 0, 0, Outcome::unchanged);
      return finish_once(call);
    }
    set(call, *once, std::int32_t{kOnceRunning});
    machine.done(true);
    if (machine.over) return Next::over;
    call.thread.phase = 2;
    Function* const routine = machine.function_at_address(call.argument(1));
    if (routine == nullptr || !routine->is_defined) {
      machine.fail(BugKind::crash, "segmentation fault");
      return Next::over;
    }
    machine.push(call.thread, *routine, {}, Then::call);
    return Next::entered;
  }
  if (call.phase() >= kOnceFails) {  // it may be tried again
    if (const auto next = stand(call, kOnceFails, Operation::once_leave, object)) return *next;
    set(call, *once, std::int32_t{0});
    machine.done(true, 0, 0);
    if (machine.over) return Next::over;
    const std::uint64_t exception = call.thread.kept[0];
    call.thread.in_call = false;
    call.thread.phase = 0;
    return go_on_unwinding(machine, call.thread, call.thread.top, exception) ? Next::unwound : Next::over;
  }
  if (const auto next = stand(call, 2, Operation::once_leave, object)) return *next;
  set(call, *once, std::int32_t{kOnceDone});
  machine.done(true, 0, 1);
  return finish_once(call);
}

Next do_guard_acquire(Call& call) {
  const std::uint64_t object = call.argument(0);
  GuardState* const guard = object_at<GuardState>(call, object);
  if (guard == nullptr) return Next::over;
  if (!call.machine.in_execution && guard->running != 0)
    return fail_alone(call, Operation::once_enter, object);
  if (const auto next = stand(call, 0, Operation::once_enter, object, 0, Wait::guard)) return *next;
  if (guard->done != 0) {
    call.machine.done(false, 0, 0, Outcome::unchanged);
    return finish_once(call, 0);
  }
  set(call, guard->running, std::uint8_t{1});
  call.machine.done(true);
  return finish_once(call, 1);
}

namespace {

Next leave_guard(Call& call, bool is_over) {
  const std::uint64_t object = call.argument(0);
  GuardState* const guard = object_at<GuardState>(call, object);
  if (guard == nullptr) return Next::over;
  if (const auto next = stand(call, 0, Operation::once_leave, object)) return *next;
  if (is_over) set(call, guard->done, std::uint8_t{1});
  set(call, guard->running, std::uint8_t{0});
  call.machine.done(true, 0, is_over ? 1 : 0);
  return finish_once(call);
}

}  // namespace

Next do_guard_release(Call& call) { return leave_guard(call, true); }
Next do_guard_abort(Call& call) { return leave_guard(call, false); }

}  // namespace thrum::vm
