// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data of single threads: thread_local objects with destructors, pthread keys, C11's keys.

#include <pthread.h>
#include <threads.h>
#include <cerrno>

#include "runtime/intercept/intercept.hpp"
#include "runtime/kernel/process_state.hpp"
#include "runtime/libc/libc_calls.hpp"

using namespace thrum;

namespace thrum {

namespace {

// What the thread has stored for the key; nullptr: nothing since the key was created.
void* specific_value(const Thread& thread, std::uint32_t key) {
  if (key >= thread.keys.size() || !process_state().is_key(key)) return nullptr;
  const SpecificValue& specific = thread.keys[key];
  return specific.generation == process_state().generation(key) ? specific.value : nullptr;
}

}  // namespace

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
      void* const value = specific_value(me, key);
      if (!value || !process_state().destructor(key)) continue;
      me.keys[key] = {};
      process_state().destructor(key)(value);
      any = true;
    }
    if (!any) return;
  }
}

}  // namespace thrum

namespace {

int create_key(std::uint32_t* key, void (*destructor)(void*), std::uint64_t code) {
  world.wrote = true;
  int number = process_state().create_key(destructor);
  if (number < 0) return EAGAIN;
  *key = static_cast<std::uint32_t>(number);
  pthread_key_create_call{code}.after(key);
  return 0;
}

bool delete_key(std::uint32_t key) {
  world.wrote = true;
  return process_state().delete_key(key);
}

int set_specific(std::uint32_t key, const void* value) {
  if (!process_state().is_key(key)) return EINVAL;
  std::vector<SpecificValue>& keys = scheduler().current().keys;
  if (keys.size() <= key) keys.resize(key + std::size_t{1});
  keys[key] = {};
  if (value) keys[key] = {const_cast<void*>(value), process_state().generation(key)};
  while (!keys.empty() && !keys.back().value) keys.pop_back();
  return 0;
}

void* get_specific(std::uint32_t key) { return specific_value(scheduler().current(), key); }

}  // namespace

THRUM_EXPORT int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) {
  THRUM_FORWARD(pthread_key_create, key, destructor)
  return create_key(key, destructor, THRUM_CALLER);
}

THRUM_EXPORT int pthread_key_delete(pthread_key_t key) {
  THRUM_FORWARD(pthread_key_delete, key)
  return delete_key(key) ? 0 : EINVAL;
}

THRUM_EXPORT int pthread_setspecific(pthread_key_t key, const void* value) {
  THRUM_FORWARD(pthread_setspecific, key, value)
  return set_specific(key, value);
}

THRUM_EXPORT void* pthread_getspecific(pthread_key_t key) {
  THRUM_FORWARD(pthread_getspecific, key)
  return get_specific(key);
}

THRUM_EXPORT int tss_create(tss_t* key, tss_dtor_t destructor) {
  THRUM_FORWARD(tss_create, key, destructor)
  return create_key(key, destructor, THRUM_CALLER) == 0 ? thrd_success : thrd_error;
}

THRUM_EXPORT void tss_delete(tss_t key) {
  THRUM_FORWARD(tss_delete, key)
  delete_key(key);
}

THRUM_EXPORT int tss_set(tss_t key, void* value) {
  THRUM_FORWARD(tss_set, key, value)
  return set_specific(key, value) == 0 ? thrd_success : thrd_error;
}

THRUM_EXPORT void* tss_get(tss_t key) {
  THRUM_FORWARD(tss_get, key)
  return get_specific(key);
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
