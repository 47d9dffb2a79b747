// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Properties of a thread that a program may set and query: names, priorities, processors, its stack. They are
// stored, and have no effect on schedules.

#include <pthread.h>
#include <sched.h>
#include <cerrno>
#include <cstring>

#include "runtime/intercept/intercept.hpp"
#include "runtime/libc/libc_calls.hpp"
#include "support/raw_syscall.hpp"

using namespace thrum;

namespace {

// The thread, or nullptr. Before the first choice there is only main; its handle is its control block.
Thread* thread_of(pthread_t handle) {
  if (Thread* thread = find_thread(handle)) return thread;
  return handle == pthread_self() ? &scheduler().current() : nullptr;
}

ThreadSettings& settings_of(Thread& thread) {
  ++livelock_watch.hidden_changes;
  if (!thread.settings) {
    thread.settings.emplace();
    std::strcpy(thread.settings->name, "thread");
  }
  return *thread.settings;
}

int check_priority(int policy, int priority) {
  bool real_time = policy == SCHED_FIFO || policy == SCHED_RR;
  bool other = policy == SCHED_OTHER || policy == SCHED_BATCH || policy == SCHED_IDLE;
  constexpr int kPriorityMax = 99;
  if (real_time) return priority >= 1 && priority <= kPriorityMax ? 0 : EINVAL;
  return other && priority == 0 ? 0 : EINVAL;
}

}  // namespace

THRUM_EXPORT int pthread_setname_np(pthread_t handle, const char* name) {
  THRUM_FORWARD(pthread_setname_np, handle, name)
  if (std::strlen(name) >= ThreadSettings::kNameMax) return ERANGE;
  Thread* thread = thread_of(handle);
  if (!thread) return ESRCH;
  std::strcpy(settings_of(*thread).name, name);
  return 0;
}

THRUM_EXPORT int pthread_getname_np(pthread_t handle, char* name, std::size_t size) {
  THRUM_FORWARD(pthread_getname_np, handle, name, size)
  if (size < ThreadSettings::kNameMax) return ERANGE;
  Thread* thread = thread_of(handle);
  if (!thread) return ESRCH;
  std::strcpy(name, settings_of(*thread).name);
  pthread_getname_np_call{THRUM_CALLER}.after(name);
  return 0;
}

THRUM_EXPORT int pthread_setschedparam(pthread_t handle, int policy, const sched_param* priority) {
  THRUM_FORWARD(pthread_setschedparam, handle, policy, priority)
  Thread* thread = thread_of(handle);
  if (!thread) return ESRCH;
  if (int error = check_priority(policy, priority->sched_priority)) return error;
  settings_of(*thread).policy = policy;
  settings_of(*thread).priority = *priority;
  return 0;
}

THRUM_EXPORT int pthread_getschedparam(pthread_t handle, int* policy, sched_param* priority) {
  THRUM_FORWARD(pthread_getschedparam, handle, policy, priority)
  Thread* thread = thread_of(handle);
  if (!thread) return ESRCH;
  *policy = settings_of(*thread).policy;
  *priority = settings_of(*thread).priority;
  pthread_getschedparam_call{THRUM_CALLER}.after(policy, priority);
  return 0;
}

THRUM_EXPORT int pthread_setschedprio(pthread_t handle, int priority) {
  THRUM_FORWARD(pthread_setschedprio, handle, priority)
  Thread* thread = thread_of(handle);
  if (!thread) return ESRCH;
  if (int error = check_priority(settings_of(*thread).policy, priority)) return error;
  settings_of(*thread).priority.sched_priority = priority;
  return 0;
}

THRUM_EXPORT int pthread_setaffinity_np(pthread_t handle, std::size_t size, const cpu_set_t* processors) {
  THRUM_FORWARD(pthread_setaffinity_np, handle, size, processors)
  Thread* thread = thread_of(handle);
  if (!thread) return ESRCH;
  if (CPU_COUNT_S(size, processors) == 0) return EINVAL;
  ThreadSettings& settings = settings_of(*thread);
  settings.has_affinity = true;
  settings.affinity = {};
  std::memcpy(&settings.affinity, processors, size < sizeof(cpu_set_t) ? size : sizeof(cpu_set_t));
  return 0;
}

THRUM_EXPORT int pthread_getaffinity_np(pthread_t handle, std::size_t size, cpu_set_t* processors) {
  THRUM_FORWARD(pthread_getaffinity_np, handle, size, processors)
  Thread* thread = thread_of(handle);
  if (!thread) return ESRCH;
  const ThreadSettings& settings = settings_of(*thread);
  cpu_set_t set = settings.affinity;
  if (!settings.has_affinity) raw_syscall(SYS_sched_getaffinity, 0, sizeof set, reinterpret_cast<long>(&set));
  std::memset(processors, 0, size);
  std::memcpy(processors, &set, size < sizeof set ? size : sizeof set);
  pthread_getaffinity_np_call{THRUM_CALLER}.after(processors, size);
  return 0;
}

// All clocks show virtual time, even those of processor time.
THRUM_EXPORT int pthread_getcpuclockid(pthread_t handle, clockid_t* clock) {
  THRUM_FORWARD(pthread_getcpuclockid, handle, clock)
  if (!thread_of(handle)) return ESRCH;
  *clock = CLOCK_THREAD_CPUTIME_ID;
  pthread_getcpuclockid_call{THRUM_CALLER}.after(clock);
  return 0;
}

THRUM_EXPORT int pthread_getattr_np(pthread_t handle, pthread_attr_t* attributes) {
  THRUM_FORWARD(pthread_getattr_np, handle, attributes)
  Thread* thread = thread_of(handle);
  if (!thread) return ESRCH;
  if (thread->detached) current_trace().reveals_threads = true;
  ++thread->asked_about;
  pthread_attr_init(attributes);
  const char* top = thread->stack_top;
  const char* bottom = thread->stack_bottom;
  if (!top) {  // main, before it has created a thread
    top = static_cast<const char*>(__builtin_frame_address(0)) + ThreadPool::kGuardSize;
    bottom = top - ThreadPool::kStackSize;
  }
  pthread_attr_setstack(attributes, const_cast<char*>(bottom), static_cast<std::size_t>(top - bottom));
  pthread_attr_setguardsize(attributes, thread->guard_size);
  pthread_attr_setdetachstate(attributes,
                              thread->detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
  if (thread->settings) {
    pthread_attr_setschedpolicy(attributes, thread->settings->policy);
    pthread_attr_setschedparam(attributes, &thread->settings->priority);
  }
  return 0;
}
