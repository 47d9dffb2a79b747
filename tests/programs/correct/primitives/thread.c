// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// case join_in_time: exhausted
// case poll_for_end: exhausted
// case settings: exhausted
// case attributes: exhausted
// case small_stack: exhausted
// case large_stack: exhausted
// case own_stack: exhausted
// case main_stack: exhausted
// case keys_deleted: exhausted
// case fork_handlers: exhausted
// case many_in_turn: exhausted
// case robust: exhausted
// case robust_in_wait: exhausted
// case ceiling: exhausted
// case kinds: exhausted
// case leave_to_last: exhausted
#define _GNU_SOURCE
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "../../cases.h"

static atomic_int value;

static void* set_value(void* argument) {
  value = 1;
  return argument;
}

// pthread_timedjoin_np and pthread_clockjoin_np either have the thread's result or time out; then it can
// still be joined.
static void run_join_in_time(void) {
  pthread_t thread;
  int mark;
  void* result = NULL;
  pthread_create(&thread, NULL, set_value, &mark);
  const struct timespec time = in_a_second(CLOCK_REALTIME);
  int error = pthread_timedjoin_np(thread, &result, &time);
  if (error != 0) {
    assert(error == ETIMEDOUT);
    const struct timespec later = in_a_second(CLOCK_MONOTONIC);
    error = pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &later);
  }
  if (error != 0) {
    assert(error == ETIMEDOUT);
    assert(pthread_join(thread, &result) == 0);
  }
  assert(result == &mark && value == 1);
}

static void run_poll_for_end(void) {
  pthread_t thread;
  int error;
  pthread_create(&thread, NULL, set_value, NULL);
  while ((error = pthread_tryjoin_np(thread, NULL)) == EBUSY) sched_yield();
  assert(error == 0 && value == 1);
}

static void* name_self(void* argument) {
  assert(pthread_setname_np(pthread_self(), "a name that is too long") == ERANGE);
  assert(pthread_setname_np(pthread_self(), argument) == 0);
  const struct sched_param high = {.sched_priority = 5};
  assert(pthread_setschedparam(pthread_self(), SCHED_RR, &high) == 0);
  assert(pthread_setschedprio(pthread_self(), 7) == 0);
  ++value;
  char name[16];
  int policy;
  struct sched_param priority;
  assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0 && strcmp(name, argument) == 0);
  assert(pthread_getschedparam(pthread_self(), &policy, &priority) == 0);
  assert(policy == SCHED_RR && priority.sched_priority == 7);
  clockid_t clock;
  struct timespec time;
  assert(pthread_getcpuclockid(pthread_self(), &clock) == 0 && clock_gettime(clock, &time) == 0);
  return argument;
}
// Each thread has its own name, priority and processors.
static void run_settings(void) {
  pthread_t threads[2];
  cpu_set_t set, given;
  CPU_ZERO(&given);
  CPU_SET(0, &given);
  assert(pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0 && CPU_COUNT(&set) > 0);
  assert(pthread_setaffinity_np(pthread_self(), sizeof given, &given) == 0);
  assert(pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0 && CPU_EQUAL(&set, &given));
  assert(pthread_setconcurrency(3) == 0 && pthread_getconcurrency() == 3);
  assert(sched_getcpu() >= 0);
  pthread_create(&threads[0], NULL, name_self, "one");
  pthread_create(&threads[1], NULL, name_self, "another");
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(pthread_equal(threads[0], threads[0]) && !pthread_equal(threads[0], threads[1]));
}

// What the attributes say is what a thread finds.
static void* find_attributes(void* argument) {
  pthread_attr_t mine;
  void* stack;
  size_t size, guard;
  int state;
  ++value;
  assert(pthread_getattr_np(pthread_self(), &mine) == 0);
  pthread_attr_getstack(&mine, &stack, &size);
  pthread_attr_getguardsize(&mine, &guard);
  pthread_attr_getdetachstate(&mine, &state);
  assert(state == PTHREAD_CREATE_JOINABLE && guard == 8192);
  assert((char*)&mine > (char*)stack && (char*)&mine < (char*)stack + size);
  pthread_attr_destroy(&mine);
  return argument;
}
static void run_attributes(void) {
  pthread_attr_t attributes;
  pthread_t threads[2];
  struct sched_param priority = {0};
  int number;
  pthread_attr_init(&attributes);
  pthread_attr_setguardsize(&attributes, 8192);
  pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_getinheritsched(&attributes, &number);
  assert(number == PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&attributes, SCHED_OTHER);
  pthread_attr_setschedparam(&attributes, &priority);
  assert(pthread_attr_setscope(&attributes, PTHREAD_SCOPE_SYSTEM) == 0);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], &attributes, find_attributes, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  pthread_attr_destroy(&attributes);
}

static int deep(int depth, const char* above) {
  char frame[1024];
  memset(frame, above[0], sizeof frame);
  return depth == 0 ? frame[9] : deep(depth - 1, frame) + frame[17];
}
static void* recurse(void* depth) {
  const char zero = 0;
  ++value;
  deep(*(int*)depth, &zero);
  ++value;
  return depth;
}
static void run_on_stack_of(size_t size, int depth) {
  pthread_attr_t attributes;
  pthread_t threads[2];
  pthread_attr_init(&attributes);
  assert(pthread_attr_setstacksize(&attributes, size) == 0);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], &attributes, recurse, &depth);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}
static void run_small_stack(void) { run_on_stack_of(128 << 10, 64); }
static void run_large_stack(void) { run_on_stack_of(64 << 20, 12000); }

// Memory of the program's own.
static _Alignas(4096) char stack[1 << 20];
static void* look_around(void* argument) {
  char here;
  ++value;
  assert(&here > stack && &here < stack + sizeof stack);
  return argument;
}
static void run_own_stack(void) {
  pthread_attr_t attributes;
  pthread_t threads[2];
  pthread_attr_init(&attributes);
  assert(pthread_attr_setstack(&attributes, stack, sizeof stack) == 0);
  pthread_create(&threads[0], &attributes, look_around, NULL);
  pthread_create(&threads[1], NULL, set_value, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}
static void run_main_stack(void) {
  pthread_attr_t attributes;
  void* address;
  size_t size;
  char here;
  assert(pthread_getattr_np(pthread_self(), &attributes) == 0);
  pthread_attr_getstack(&attributes, &address, &size);
  assert(&here > (char*)address && &here < (char*)address + size);
  run_two(set_value, set_value);
}

// A key that was deleted has no destructor any more; its number is given again.
static pthread_key_t key;
static void never(void* argument) {
  (void)argument;
  assert(0);
}
static void* set_and_end(void* argument) {
  pthread_setspecific(key, &value);
  ++value;
  assert(pthread_getspecific(key) == &value);
  return argument;
}
static void run_keys_deleted(void) {
  pthread_key_create(&key, never);
  pthread_key_delete(key);
  pthread_key_create(&key, NULL);
  run_two(set_and_end, set_and_end);
  assert(pthread_getspecific(key) == NULL);
}

static void handler(void) { assert(0); }
static void run_fork_handlers(void) {
  assert(pthread_atfork(handler, handler, handler) == 0);
  run_two(set_value, set_value);
}

// More threads than can live at once, one after the other; a joined one's place is used again.
static void* count(void* argument) {
  ++value;
  return (void*)((intptr_t)argument + 1);
}
static void run_many_in_turn(void) {
  enum { kThreads = 2100 };
  for (intptr_t i = 0; i < kThreads; ++i) {
    pthread_t thread;
    void* result;
    assert(pthread_create(&thread, NULL, count, (void*)i) == 0);
    assert(pthread_join(thread, &result) == 0 && (intptr_t)result == i + 1);
  }
  assert(value == kThreads);
}

// Whoever finds that the last holder died makes the mutex consistent.
static pthread_mutex_t mutex;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int half_done;
static void init_robust(void) {
  pthread_mutexattr_t attributes;
  int robust, shared, protocol, type;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutexattr_getrobust(&attributes, &robust);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_getpshared(&attributes, &shared);
  pthread_mutexattr_getprotocol(&attributes, &protocol);
  pthread_mutexattr_gettype(&attributes, &type);
  assert(robust == PTHREAD_MUTEX_ROBUST && shared == PTHREAD_PROCESS_SHARED);
  assert(protocol == PTHREAD_PRIO_NONE && type == PTHREAD_MUTEX_DEFAULT);
  pthread_mutex_init(&mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
}
static int lock_and_repair(void) {
  const int error = pthread_mutex_lock(&mutex);
  if (error == EOWNERDEAD) {
    half_done = 0;
    assert(pthread_mutex_consistent(&mutex) == 0);
  } else {
    assert(error == 0);
  }
  assert(half_done == 0);
  return error;
}
static void* die_inside(void* argument) {
  lock_and_repair();
  half_done = 1;
  return argument;
}
static void run_robust(void) {
  init_robust();
  run_two(die_inside, die_inside);
  assert(lock_and_repair() == EOWNERDEAD);
  assert(pthread_mutex_unlock(&mutex) == 0);
  assert(lock_and_repair() == 0);
  pthread_mutex_unlock(&mutex);
  assert(pthread_mutex_consistent(&mutex) == EINVAL);
  // Given up without repair, it is lost for good.
  run_two(die_inside, set_value);
  assert(pthread_mutex_trylock(&mutex) == EOWNERDEAD);
  pthread_mutex_unlock(&mutex);
  assert(pthread_mutex_lock(&mutex) == ENOTRECOVERABLE);
}
// A wait gets it from a dead holder, too.
static void* wait_for_dead(void* argument) {
  int error = lock_and_repair();
  while (value == 0 && error != ENOTRECOVERABLE) {
    error = pthread_cond_wait(&changed, &mutex);
    if (error == EOWNERDEAD) pthread_mutex_consistent(&mutex);
  }
  assert(pthread_mutex_unlock(&mutex) == 0);
  return argument;
}
static void* signal_and_die(void* argument) {
  lock_and_repair();
  value = 1;
  pthread_cond_signal(&changed);
  return argument;
}
static void run_robust_in_wait(void) {
  init_robust();
  run_two(wait_for_dead, signal_and_die);
}

static void* raise_and_lower(void* argument) {
  int former;
  assert(pthread_mutex_setprioceiling(&mutex, 20, &former) == 0);
  assert(former == 10 || former == 20);
  pthread_mutex_lock(&mutex);
  ++value;
  pthread_mutex_unlock(&mutex);
  return argument;
}
static void run_ceiling(void) {
  pthread_mutexattr_t attributes;
  int ceiling;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT);
  pthread_mutexattr_setprioceiling(&attributes, 10);
  pthread_mutexattr_getprioceiling(&attributes, &ceiling);
  assert(ceiling == 10);
  pthread_mutex_init(&mutex, &attributes);
  run_two(raise_and_lower, raise_and_lower);
  assert(pthread_mutex_getprioceiling(&mutex, &ceiling) == 0 && ceiling == 20);
  assert(pthread_mutex_destroy(&mutex) == 0);
}

static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static void* use_all(void* argument) {
  pthread_mutex_lock(&adaptive);
  ++value;
  pthread_mutex_unlock(&adaptive);
  pthread_mutex_lock(&recursive);
  assert(pthread_mutex_trylock(&recursive) == 0);
  pthread_mutex_unlock(&recursive);
  pthread_mutex_unlock(&recursive);
  const struct timespec time = in_a_second(CLOCK_MONOTONIC);
  const int error = pthread_mutex_clocklock(&checking, CLOCK_MONOTONIC, &time);
  if (error == 0) {
    assert(pthread_mutex_lock(&checking) == EDEADLK);
    pthread_mutex_unlock(&checking);
  }
  assert(error == 0 || error == ETIMEDOUT);
  return argument;
}
static void run_kinds(void) {
  run_two(use_all, set_value);
  assert(pthread_mutex_unlock(&checking) == EPERM);
}

// Main leaves; the last thread to end runs what atexit was told, and the process ends well.
static void expect_all(void) {
  if (value != 2) _exit(1);
}
static void* increment(void* argument) {
  ++value;
  return argument;
}
static void run_leave_to_last(void) {
  pthread_t thread;
  atexit(expect_all);
  for (int i = 0; i < 2; ++i) {
    pthread_create(&thread, NULL, increment, NULL);
    pthread_detach(thread);
  }
  pthread_exit(NULL);
}

MAIN(CASE(join_in_time), CASE(poll_for_end), CASE(settings), CASE(attributes), CASE(small_stack),
     CASE(large_stack), CASE(own_stack), CASE(main_stack), CASE(keys_deleted), CASE(fork_handlers),
     CASE(many_in_turn), CASE(robust), CASE(robust_in_wait), CASE(ceiling), CASE(kinds), CASE(leave_to_last))
