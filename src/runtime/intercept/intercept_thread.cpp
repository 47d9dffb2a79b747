// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads: creation, end, join; including C11's.

#include <pthread.h>
#include <threads.h>
#include <cerrno>

#include "runtime/base/modules.hpp"
#include "runtime/base/notes.hpp"
#include "runtime/drive/native_program.hpp"
#include "runtime/drive/start.hpp"
#include "runtime/intercept/intercept.hpp"
#include "runtime/judge/judging.hpp"
#include "runtime/judge/race_judge.hpp"
#include "runtime/judge/recorded_values.hpp"
#include "runtime/kernel/signals.hpp"
#include "runtime/libc/libc_calls.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/shortcuts/known_ends.hpp"
#include "runtime/threads/cancellation.hpp"
#include "runtime/threads/record.hpp"
#include "runtime/threads/signal_delivery.hpp"
#include "support/check.hpp"

using namespace thrum;

namespace {

void thread_main() {
  Thread& me = scheduler().current();
  if (me.returns_int) {
    auto* body = reinterpret_cast<int (*)(void*)>(reinterpret_cast<void (*)()>(me.body));
    me.result = reinterpret_cast<void*>(static_cast<std::intptr_t>(body(me.argument)));
  } else {
    me.result = me.body(me.argument);
  }
  finish_thread();
}

[[noreturn]] void refuse_threads_of(const char* module) {
  lose_control(
      "uncontrolled-threads",
      std::string(module) + " starts a thread, and is not instrumented: its threads are not under control");
}

// A requested size that differs from the default by less counts as the default.
constexpr std::size_t kNearlyAll = 64 << 10;

// Threads of a library that is not instrumented would run unseen. They are not started; the search ends and
// says so.
void check_creator(std::uint64_t code, void* argument) {
  static std::uint64_t known_good = 0;
  static bool by_cxx_library = false;
  if (code != known_good) {
    if (const char* module = uncontrolled_module(code)) refuse_threads_of(module);
    by_cxx_library = is_cxx_library(code);
    known_good = code;
  }
  // The argument of libstdc++'s thread has its virtual table in the library that created the thread.
  if (!by_cxx_library || !argument) return;
  static std::uint64_t known_table = 0;
  auto table = *static_cast<std::uint64_t*>(argument);
  if (table == known_table) return;
  if (const char* module = uncontrolled_module(table)) refuse_threads_of(module);
  known_table = table;
}

// The requested stack, and the other attributes.
ThreadPool::StackRequest read_attributes(const pthread_attr_t* attributes, bool& detached,
                                         std::size_t& guard) {
  ThreadPool::StackRequest stack;
  detached = false;
  guard = 4096;
  if (!attributes) return stack;
  int state = PTHREAD_CREATE_JOINABLE;
  pthread_attr_getdetachstate(attributes, &state);
  detached = state == PTHREAD_CREATE_DETACHED;
  pthread_attr_getguardsize(attributes, &guard);
  void* memory = nullptr;
  pthread_attr_getstack(attributes, &memory, &stack.size);
  // If no memory was given, libc returns the address that lies a stack's size below 0.
  if (reinterpret_cast<std::uintptr_t>(memory) + stack.size != 0) stack.memory = static_cast<char*>(memory);
  if (!stack.memory && stack.size <= ThreadPool::kStackSize &&
      stack.size + kNearlyAll >= ThreadPool::kStackSize)
    stack.size = 0;  // the default
  return stack;
}

int create_thread(pthread_t* handle, const pthread_attr_t* attributes, void* (*body)(void*), void* argument,
                  bool returns_int, std::uint64_t code) {
  check_creator(code, argument);
  if (!world.running) begin_search();
  bool detached;
  std::size_t guard;
  ThreadPool::StackRequest stack = read_attributes(attributes, detached, guard);
  Thread* child = scheduler().create(body, argument, stack);
  if (!child) return EAGAIN;
  child->detached = detached;
  child->guard_size = guard;
  child->returns_int = returns_int;
  *handle = child->fs_base;
  note_value_written(handle, sizeof *handle);
  start_created(*child, code);
  return 0;
}

// Why the running thread cannot wait for that thread; 0: it can.
int join_error(Thread* other) {
  if (!other) return ESRCH;
  if (other == &scheduler().current()) return EDEADLK;
  ++other->asked_about;
  if (!other->detached && !other->joined_by_someone) return 0;
  current_trace().reveals_threads = true;
  return EINVAL;
}

void finish_join(Thread& other, void** result, std::uint64_t code) {
  note_in_trace(Operation::thread_join, other, code);
  if (world.judges_races) race_judge().join(scheduler().current(), other);
  if (world.names_events) judging().join(scheduler().current(), other);
  if (result) {
    *result = other.result;
    note_value_written(result, sizeof *result);
    pthread_join_call{code}.after(result);
  }
  other.released = true;
}

// REQUIRES: the call came through a loop_entry of switch.S.
int join_thread(pthread_t handle, void** result, std::uint64_t code) {
  if (!world.running) return ESRCH;
  const CallerState caller = known_ends().wants_caller() ? thrum_caller : CallerState{};
  Thread* other = find_thread(handle);
  if (int error = join_error(other)) return error;
  cancellation_point(code);
  scheduler().join(*other, code);
  if (other->life != Life::ended) {
    other->joined_by_someone = false;
    act_on_cancel(code);
  }
  await_own_handlers(code);
  finish_join(*other, result, code);
  known_ends().note_join(caller);
  return 0;
}

int join_until(pthread_t handle, void** result, std::uint64_t deadline, std::uint64_t code) {
  if (!world.running) return ESRCH;
  Thread* other = find_thread(handle);
  if (int error = join_error(other)) return error;
  cancellation_point(code);
  Thread& me = scheduler().current();
  me.joined = other;
  bool goes_on =
      wait_at_cancellation_point(Operation::try_join, object_of(*other), code, Wait::ended, deadline);
  if (!goes_on) act_on_cancel(code);
  if (me.timed_out) {
    done_by_timeout();
    return ETIMEDOUT;
  }
  scheduler().done(Scheduler::Effect::read);
  other->joined_by_someone = true;
  finish_join(*other, result, code);
  return 0;
}

int detach_thread(pthread_t handle, std::uint64_t code) {
  if (!world.running) return 0;
  Thread* other = find_thread(handle);
  if (!other) return ESRCH;
  const std::uint32_t asked_before = other->asked_about++;
  if (asked_before != 0) current_trace().reveals_threads = true;
  if (other->detached) return EINVAL;
  scheduler().arrive(Operation::detach, object_of(*other), 0, code);
  if (other->asked_about != asked_before + 1) current_trace().reveals_threads = true;
  other->detached = true;
  if (other->life == Life::ended) other->released = true;
  scheduler().done(Scheduler::Effect::change);
  return 0;
}

[[noreturn]] void exit_thread(void* result) {
  Thread& me = scheduler().current();
  me.result = result;
  me.cancellation.disabled = true;
  unwind_thread();
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

// The running thread is the last one and ends the process, as if it had called exit. Everything that the
// others did happens before that.
[[noreturn]] void exit_as_last() {
  Thread& me = scheduler().current();
  for (std::uint16_t slot = 0; slot < scheduler().slots_used(); ++slot) {
    const Thread& other = scheduler().thread_in_slot(slot);
    if (&other == &me || other.timer || other.joined_by_someone) continue;
    if (world.judges_races) race_judge().join(me, other);
    if (world.names_events) judging().join(me, other);
  }
  note_in_trace(Operation::others_ended, me, 0);
  exit_under_search(0, THRUM_CALLER, nullptr);
}

}  // namespace

namespace thrum {

void start_created(Thread& child, std::uint64_t code) {
  the_heap.name_thread(child.slot, child.id);
  child.context = new_context(child.stack_top, thread_main, floating_point_modes());
  note_in_trace(Operation::thread_create, child, code);
  scheduler().start(child);
}

void finish_thread() {
  Thread& me = scheduler().current();
  await_own_handlers(THRUM_CALLER);
  me.cancellation.disabled = true;
  destroy_thread_locals(me);
  destroy_specific_data(me);
  leave_robust_mutexes(THRUM_CALLER);
  // If main has ended before, it ends the process: then it does not matter which thread was the last. But if
  // a signal or a timer may still come to the last thread, that thread stays alive and ends the process.
  const bool is_main = me.id == kMainThread;
  const bool something_comes = scheduler().live().size() > 1 || signals().any_pending();
  if (scheduler().is_last(me) && (is_main || something_comes)) exit_as_last();
  if (world.judges_races) race_judge().end(me);
  note_in_trace(Operation::thread_end, me, THRUM_CALLER);
  scheduler().end_current();
  THRUM_CHECK(is_main);
  exit_as_last();
}

Thread* find_thread(pthread_t handle) {
  if (!world.running) return handle == current_fs_base() ? &scheduler().current() : nullptr;
  // Threads are mostly looked up in the order of their creation.
  static std::uint16_t slot = 0;
  const std::uint16_t slots = scheduler().slots_used();
  for (std::uint16_t left = slots; left-- > 0;) {
    slot = slot + 1 < slots ? static_cast<std::uint16_t>(slot + 1) : 0;
    Thread& thread = scheduler().thread_in_slot(slot);
    if (thread.fs_base == handle) return &thread;
  }
  return nullptr;
}

}  // namespace thrum

THRUM_EXPORT int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*body)(void*),
                                void* argument) {
  THRUM_FORWARD(pthread_create, handle, attributes, body, argument)
  return create_thread(handle, attributes, body, argument, false, THRUM_CALLER);
}

THRUM_LOOP_IMPL int pthread_join_impl(pthread_t handle, void** result) {
  THRUM_FORWARD(pthread_join, handle, result)
  return join_thread(handle, result, THRUM_CALLER);
}

THRUM_LOOP_IMPL int pthread_tryjoin_np_impl(pthread_t handle, void** result) {
  THRUM_FORWARD(pthread_tryjoin_np, handle, result)
  if (!world.running) return ESRCH;
  Thread* other = find_thread(handle);
  if (int error = join_error(other)) return error;
  scheduler().arrive_in_loop(Operation::try_join, object_of(*other), 0, THRUM_CALLER);
  bool ended = other->life == Life::ended;
  scheduler().done(Scheduler::Effect::read, 0, 0, ended ? Outcome::done : Outcome::failed);
  if (!ended) return EBUSY;
  world.wrote = true;
  other->joined_by_someone = true;
  finish_join(*other, result, THRUM_CALLER);
  return 0;
}

THRUM_EXPORT int pthread_timedjoin_np(pthread_t handle, void** result, const timespec* time) {
  THRUM_FORWARD(pthread_timedjoin_np, handle, result, time)
  if (!is_valid(*time)) return EINVAL;
  return join_until(handle, result, clock_to_virtual(CLOCK_REALTIME, *time), THRUM_CALLER);
}

THRUM_EXPORT int pthread_clockjoin_np(pthread_t handle, void** result, clockid_t clock,
                                      const timespec* time) {
  THRUM_FORWARD(pthread_clockjoin_np, handle, result, clock, time)
  if (!is_valid(*time)) return EINVAL;
  return join_until(handle, result, clock_to_virtual(clock, *time), THRUM_CALLER);
}

THRUM_EXPORT int pthread_detach(pthread_t handle) {
  THRUM_FORWARD(pthread_detach, handle)
  return detach_thread(handle, THRUM_CALLER);
}

THRUM_EXPORT void pthread_exit(void* result) {
  if (!searching()) {
    THRUM_REAL(pthread_exit);
    real(result);
    __builtin_unreachable();
  }
  exit_thread(result);
}

THRUM_EXPORT int thrd_create(thrd_t* handle, thrd_start_t body, void* argument) {
  THRUM_FORWARD(thrd_create, handle, body, argument)
  // By way of a type to which any function pointer may be converted.
  auto* any = reinterpret_cast<void* (*)(void*)>(reinterpret_cast<void (*)()>(body));
  return thrd_error_of(create_thread(handle, nullptr, any, argument, true, THRUM_CALLER));
}

THRUM_LOOP_IMPL int thrd_join_impl(thrd_t handle, int* result) {
  THRUM_FORWARD(thrd_join, handle, result)
  void* value = nullptr;
  int error = join_thread(handle, &value, THRUM_CALLER);
  if (error == 0 && result) *result = static_cast<int>(reinterpret_cast<std::intptr_t>(value));
  return thrd_error_of(error);
}

THRUM_EXPORT int thrd_detach(thrd_t handle) {
  THRUM_FORWARD(thrd_detach, handle)
  return thrd_error_of(detach_thread(handle, THRUM_CALLER));
}

THRUM_EXPORT void thrd_exit(int result) {
  if (!searching()) {
    THRUM_REAL(thrd_exit);
    real(result);
    __builtin_unreachable();
  }
  exit_thread(reinterpret_cast<void*>(static_cast<std::intptr_t>(result)));
}
