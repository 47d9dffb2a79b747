// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program may set of a thread and ask about it, without an effect on schedules: its name and priority,
// and attributes that pthread_create() takes. libc's own functions change attributes, in a copy of the
// object.
#include <cstring>

#include <pthread.h>
#include <sched.h>

#include "vm/library.hpp"

namespace thrum::vm {

namespace {

constexpr std::size_t kNameMax = 16;  // the final 0 included

// Of each thread, by its slot; all 0 at first.
struct Settings {
  char name[kNameMax];
  int policy;
  sched_param priority;
  bool has_name;
};
Settings& settings_of(const Thread& thread) {
  return at<Settings>(state_place(LibraryState::settings) + thread.slot * sizeof(Settings));
}
Settings& change(Call& call, const Thread& thread) {
  Settings& settings = settings_of(thread);
  call.machine.memory.note(reinterpret_cast<std::uint64_t>(&settings), sizeof settings);
  return settings;
}

// The thread that argument 0 is a handle of; nullptr: none.
Thread* thread_of(Call& call) { return call.machine.find_thread(call.argument(0)); }

int check_priority(int policy, int priority) {
  const bool real_time = policy == SCHED_FIFO || policy == SCHED_RR;
  const bool other = policy == SCHED_OTHER || policy == SCHED_BATCH || policy == SCHED_IDLE;
  constexpr int kPriorityMax = 99;
  if (real_time) return priority >= 1 && priority <= kPriorityMax ? 0 : EINVAL;
  return other && priority == 0 ? 0 : EINVAL;
}

// Of all threads together.
int& concurrency() { return at<int>(state_place(LibraryState::concurrency)); }

}  // namespace

void Machine::forget_settings(const Thread& former) {
  Settings& of_former = settings_of(former);
  memory.note(reinterpret_cast<std::uint64_t>(&of_former), sizeof of_former);
  of_former = {};
}

Next do_setname(Call& call) {
  const auto name = read_text<char>(call, call.argument(1));
  if (!name) return Next::over;
  if (name->size() >= kNameMax) return call.result_int(ERANGE);
  const Thread* const thread = thread_of(call);
  if (thread == nullptr) return call.result_int(ESRCH);
  Settings& settings = change(call, *thread);
  std::memset(settings.name, 0, kNameMax);
  name->copy(settings.name, kNameMax);
  settings.has_name = true;
  return call.result_int(0);
}
Next do_getname(Call& call) {
  if (call.argument(2) < kNameMax) return call.result_int(ERANGE);
  const Thread* const thread = thread_of(call);
  if (thread == nullptr) return call.result_int(ESRCH);
  const Settings& settings = settings_of(*thread);
  return put_text<char>(call, call.argument(1), settings.has_name ? settings.name : "thread")
             ? call.result_int(0)
             : Next::over;
}

Next do_setschedparam(Call& call) {
  const int policy = call.int_argument(1);
  if (!reads<sched_param>(call, call.argument(2))) return Next::over;
  const auto priority = at<sched_param>(call.argument(2));
  const Thread* const thread = thread_of(call);
  if (thread == nullptr) return call.result_int(ESRCH);
  if (const int error = check_priority(policy, priority.sched_priority)) return call.result_int(error);
  Settings& settings = change(call, *thread);
  settings.policy = policy;
  settings.priority = priority;
  return call.result_int(0);
}
Next do_getschedparam(Call& call) {
  const Thread* const thread = thread_of(call);
  if (thread == nullptr) return call.result_int(ESRCH);
  const Settings& settings = settings_of(*thread);
  return put_value(call, call.argument(1), settings.policy) &&
                 put_value(call, call.argument(2), settings.priority)
             ? call.result_int(0)
             : Next::over;
}
Next do_setschedprio(Call& call) {
  const Thread* const thread = thread_of(call);
  if (thread == nullptr) return call.result_int(ESRCH);
  const int priority = call.int_argument(1);
  if (const int error = check_priority(settings_of(*thread).policy, priority)) return call.result_int(error);
  change(call, *thread).priority.sched_priority = priority;
  return call.result_int(0);
}

// All clocks show virtual time, even those of processor time.
Next do_getcpuclockid(Call& call) {
  if (thread_of(call) == nullptr) return call.result_int(ESRCH);
  return put_value(call, call.argument(1), clockid_t{CLOCK_THREAD_CPUTIME_ID}) ? call.result_int(0)
                                                                               : Next::over;
}

Next do_setconcurrency(Call& call) {
  if (call.int_argument(0) < 0) return call.result_int(EINVAL);
  call.machine.memory.put(concurrency(), call.int_argument(0));
  return call.result_int(0);
}
Next do_getconcurrency(Call& call) { return call.result_int(concurrency()); }

// ---- Attributes ---------------------------------------------------------------------------------

Next do_attr_init(Call& call) {
  return change_attributes<pthread_attr_t>(call,
                                           [](pthread_attr_t* copy) { return pthread_attr_init(copy); });
}
Next do_attr_setdetachstate(Call& call) { return set_attribute(call, pthread_attr_setdetachstate); }
Next do_attr_getdetachstate(Call& call) { return get_attribute(call, pthread_attr_getdetachstate); }
Next do_attr_setguardsize(Call& call) { return set_attribute(call, pthread_attr_setguardsize); }
Next do_attr_getguardsize(Call& call) { return get_attribute(call, pthread_attr_getguardsize); }
Next do_attr_setinheritsched(Call& call) { return set_attribute(call, pthread_attr_setinheritsched); }
Next do_attr_getinheritsched(Call& call) { return get_attribute(call, pthread_attr_getinheritsched); }
Next do_attr_setschedpolicy(Call& call) { return set_attribute(call, pthread_attr_setschedpolicy); }
Next do_attr_getschedpolicy(Call& call) { return get_attribute(call, pthread_attr_getschedpolicy); }
Next do_attr_setscope(Call& call) { return set_attribute(call, pthread_attr_setscope); }
Next do_attr_getscope(Call& call) { return get_attribute(call, pthread_attr_getscope); }
Next do_attr_setstacksize(Call& call) { return set_attribute(call, pthread_attr_setstacksize); }
Next do_attr_getstacksize(Call& call) { return get_attribute(call, pthread_attr_getstacksize); }
Next do_attr_getschedparam(Call& call) { return get_attribute(call, pthread_attr_getschedparam); }
Next do_attr_setschedparam(Call& call) {
  if (!reads<sched_param>(call, call.argument(1))) return Next::over;
  const auto priority = at<sched_param>(call.argument(1));
  return change_attributes<pthread_attr_t>(
      call, [&](pthread_attr_t* copy) { return pthread_attr_setschedparam(copy, &priority); });
}
// A stack of the program's own: its memory must be there.
Next do_attr_setstack(Call& call) {
  if (!call.machine.may_write(call.argument(1), call.argument(2))) return Next::over;
  return change_attributes<pthread_attr_t>(call, [&](pthread_attr_t* copy) {
    return pthread_attr_setstack(copy, &at<char>(call.argument(1)), call.argument(2));
  });
}
Next do_attr_getstack(Call& call) {
  if (!call.machine.may_read(call.argument(0), sizeof(pthread_attr_t))) return Next::over;
  void* stack = nullptr;
  std::size_t size = 0;
  const int result = pthread_attr_getstack(&at<pthread_attr_t>(call.argument(0)), &stack, &size);
  if (!put_value(call, call.argument(1), stack) || !put_value(call, call.argument(2), size))
    return Next::over;
  return call.result_int(result);
}

// Of a thread that runs.
Next do_getattr(Call& call) {
  const Thread* const thread = thread_of(call);
  if (thread == nullptr) return call.result_int(ESRCH);
  if (thread->detached) call.machine.trace->reveals_threads = true;
  const std::uint64_t place = call.argument(1);
  if (!call.machine.may_write(place, sizeof(pthread_attr_t))) return Next::over;
  pthread_attr_t own;
  pthread_attr_init(&own);
  pthread_attr_setstack(&own, &at<char>(thread->stack_limit()), thread->stack_size);
  pthread_attr_setguardsize(&own, thread->guard_size);
  pthread_attr_setdetachstate(&own, thread->detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
  const Settings& settings = settings_of(*thread);
  pthread_attr_setschedpolicy(&own, settings.policy);
  pthread_attr_setschedparam(&own, &settings.priority);
  call.machine.write(place, &own, sizeof own);
  return call.result_int(0);
}

}  // namespace thrum::vm
