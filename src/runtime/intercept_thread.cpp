// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads: creation, end, join, thread-specific data.

#include <pthread.h>
#include <cerrno>

#include "runtime/cancellation.hpp"
#include "runtime/heap.hpp"
#include "runtime/intercept.hpp"
#include "runtime/modules.hpp"
#include "runtime/native_program.hpp"
#include "runtime/notes.hpp"
#include "runtime/process_state.hpp"
#include "runtime/record.hpp"
#include "runtime/signal_delivery.hpp"

using namespace thrum;

namespace {

// Notes an operation that orders events but is no event of its own. other: whom it is about, named in the
// trace by its stack.
void note_in_trace(Operation operation, const Thread& other, std::uint64_t code) {
  if (!world.recording) return;
  Thread& me = scheduler().current();
  me.operation = operation;
  me.object = address_of(other.stack_top) - 1;
  me.size = 0;
  me.code = code;
  note_stack(me);
  record_event(me, 0, 0, Outcome::done);
}

void destroy_thread_locals(Thread& me) {
  while (!me.destructors.empty()) {
    Destructor last = me.destructors.back();
    me.destructors.pop_back();
    last.function(last.object);
  }
}

void destroy_specific_data(Thread& me) {
  for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; ++round) {
    bool any = false;
    for (std::uint32_t key = 0; key < me.keys.size(); ++key) {
      void* value = me.keys[key];
      if (!value || !process_state().is_key(key) || !process_state().destructor(key)) continue;
      me.keys[key] = nullptr;
      process_state().destructor(key)(value);
      any = true;
    }
    if (!any) return;
  }
}

void thread_main() {
  Thread& me = scheduler().current();
  me.result = me.body(me.argument);
  finish_thread();
}

[[noreturn]] void refuse_threads_of(const char* module) {
  lose_control(
      "uncontrolled-threads",
      std::string(module) + " starts a thread, and is not instrumented: its threads are not under control");
}

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
  // What libstdc++ creates a thread with has its virtual table in the library that asked for it.
  if (!by_cxx_library || !argument) return;
  static std::uint64_t known_table = 0;
  auto table = *static_cast<std::uint64_t*>(argument);
  if (table == known_table) return;
  if (const char* module = uncontrolled_module(table)) refuse_threads_of(module);
  known_table = table;
}

}  // namespace

namespace thrum {

void finish_thread() {
  Thread& me = scheduler().current();
  handle_own_signals(THRUM_CALLER);
  me.cancellation.disabled = true;
  destroy_thread_locals(me);
  destroy_specific_data(me);
  note_in_trace(Operation::thread_end, me, THRUM_CALLER);
  scheduler().end_current();
}

Thread* find_thread(pthread_t handle) {
  if (!world.running) return handle == current_fs_base() ? &scheduler().current() : nullptr;
  for (std::uint16_t slot = 0; slot < scheduler().threads_created(); ++slot) {
    Thread& thread = scheduler().thread_in_slot(slot);
    if (thread.fs_base == handle) return &thread;
  }
  return nullptr;
}

void end_main_thread_locals() { destroy_thread_locals(scheduler().current()); }

}  // namespace thrum

THRUM_EXPORT int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*body)(void*),
                                void* argument) {
  THRUM_FORWARD(pthread_create, handle, attributes, body, argument)
  check_creator(THRUM_CALLER, argument);
  if (!world.running) begin_search();
  Thread* child = scheduler().create(body, argument);
  if (!child) {
    notes().too_many_threads();
    return EAGAIN;
  }
  the_heap.name_thread(child->slot, child->id);
  int detached = PTHREAD_CREATE_JOINABLE;
  if (attributes) pthread_attr_getdetachstate(attributes, &detached);
  child->detached = detached == PTHREAD_CREATE_DETACHED;
  child->context = new_context(child->stack_top, thread_main);
  *handle = child->fs_base;
  note_in_trace(Operation::thread_create, *child, THRUM_CALLER);
  scheduler().start(*child);
  return 0;
}

THRUM_EXPORT int pthread_join(pthread_t handle, void** result) {
  THRUM_FORWARD(pthread_join, handle, result)
  if (!world.running) return ESRCH;
  Thread* other = find_thread(handle);
  if (!other) return ESRCH;
  if (other == &scheduler().current()) return EDEADLK;
  if (other->detached || other->joined_by_someone) return EINVAL;
  cancellation_point(THRUM_CALLER);
  scheduler().join(*other, THRUM_CALLER);
  if (other->life != Life::ended) {
    other->joined_by_someone = false;
    act_on_cancel(THRUM_CALLER);
  }
  handle_own_signals(THRUM_CALLER);
  note_in_trace(Operation::thread_join, *other, THRUM_CALLER);
  if (result) *result = other->result;
  return 0;
}

THRUM_EXPORT int pthread_detach(pthread_t handle) {
  THRUM_FORWARD(pthread_detach, handle)
  if (!world.running) return 0;
  Thread* other = find_thread(handle);
  if (!other) return ESRCH;
  if (other->detached) return EINVAL;
  scheduler().arrive(Operation::detach, other->fs_base, 0, THRUM_CALLER);
  other->detached = true;
  scheduler().done(Scheduler::Effect::change);
  return 0;
}

THRUM_EXPORT void pthread_exit(void* result) {
  if (!searching()) {
    THRUM_REAL(pthread_exit);
    real(result);
    __builtin_unreachable();
  }
  if (!world.running) exit_process(0);  // main was the only thread
  Thread& me = scheduler().current();
  me.result = result;
  me.cancellation.disabled = true;
  unwind_thread();
}

THRUM_EXPORT int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) {
  THRUM_FORWARD(pthread_key_create, key, destructor)
  int number = process_state().create_key(destructor);
  if (number < 0) return EAGAIN;
  *key = static_cast<pthread_key_t>(number);
  return 0;
}

THRUM_EXPORT int pthread_key_delete(pthread_key_t key) {
  THRUM_FORWARD(pthread_key_delete, key)
  if (!process_state().delete_key(key)) return EINVAL;
  return 0;
}

THRUM_EXPORT int pthread_setspecific(pthread_key_t key, const void* value) {
  THRUM_FORWARD(pthread_setspecific, key, value)
  if (!process_state().is_key(key)) return EINVAL;
  std::vector<void*>& keys = scheduler().current().keys;
  if (keys.size() <= key) keys.resize(key + std::size_t{1});
  keys[key] = const_cast<void*>(value);
  return 0;
}

THRUM_EXPORT void* pthread_getspecific(pthread_key_t key) {
  THRUM_FORWARD(pthread_getspecific, key)
  const std::vector<void*>& keys = scheduler().current().keys;
  return key < keys.size() ? keys[key] : nullptr;
}

namespace {

int register_thread_local(void (*destructor)(void*), void* object) {
  scheduler().current().destructors.push_back({destructor, object});
  return 0;
}

}  // namespace

THRUM_EXPORT int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object, void* module) {
  if (searching()) return register_thread_local(destructor, object);
  static auto* const real =
      reinterpret_cast<int (*)(void (*)(void*), void*, void*)>(next_function("__cxa_thread_atexit_impl"));
  return real(destructor, object, module);
}

THRUM_EXPORT int __cxa_thread_atexit(void (*destructor)(void*), void* object, void* module) {
  return __cxa_thread_atexit_impl(destructor, object, module);
}
