// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// case pthread_create: bug assertion
// case pthread_join: bug assertion
// case pthread_tryjoin_np: bug assertion
// case pthread_timedjoin_np: bug assertion
// case pthread_clockjoin_np: bug assertion
// case pthread_detach: bug assertion
// case pthread_exit: bug assertion
// case pthread_self: bug assertion
// case pthread_equal: bug assertion
// case pthread_key_create: bug assertion
// case pthread_key_delete: bug assertion
// case pthread_setspecific: bug assertion
// case pthread_getspecific: bug assertion
// case pthread_atfork: bug assertion preemptions=1
// case pthread_attr_setstacksize: bug stack-overflow
// case pthread_attr_setstack: bug assertion
// case pthread_attr_setdetachstate: bug assertion
// case pthread_getattr_np: bug assertion
// case pthread_setname_np: bug assertion
// case pthread_getname_np: bug assertion
// case pthread_setschedparam: bug assertion
// case pthread_getschedparam: bug assertion
// case pthread_setschedprio: bug assertion
// case pthread_setaffinity_np: bug assertion
// case pthread_getaffinity_np: bug assertion
// case sched_getcpu: bug data-race
// case pthread_getcpuclockid: bug assertion
// case pthread_setconcurrency: bug assertion
#define _GNU_SOURCE
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#include "../../cases.h"

static atomic_int value;
static pthread_t other;
static pthread_key_t key;

static void* set_value(void* argument) {
  value = 1;
  return argument;
}

// Who creates a thread cannot count on what it has done, nor on what it has not.
static void run_pthread_create(void) {
  pthread_create(&other, NULL, set_value, NULL);
  assert(value == 0);
}

// One of the two was not joined.
static void run_pthread_join(void) {
  pthread_t joined;
  pthread_create(&joined, NULL, set_value, NULL);
  pthread_create(&other, NULL, set_value, NULL);
  value = 0;
  pthread_join(joined, NULL);
  assert(value == 1);
  value = 0;
  assert(value == 0);
}

static void run_pthread_tryjoin_np(void) {
  pthread_create(&other, NULL, set_value, NULL);
  assert(pthread_tryjoin_np(other, NULL) == EBUSY);
}

static void run_pthread_timedjoin_np(void) {
  pthread_create(&other, NULL, set_value, NULL);
  const struct timespec time = in_a_second(CLOCK_REALTIME);
  assert(pthread_timedjoin_np(other, NULL, &time) == 0);
}

static void run_pthread_clockjoin_np(void) {
  pthread_create(&other, NULL, set_value, NULL);
  const struct timespec time = in_a_second(CLOCK_MONOTONIC);
  assert(pthread_clockjoin_np(other, NULL, CLOCK_MONOTONIC, &time) == 0);
}

// Nobody waits for a thread that is detached.
static void run_pthread_detach(void) {
  pthread_create(&other, NULL, set_value, NULL);
  pthread_detach(other);
  pthread_join(other, NULL);
  assert(value == 1);
}

static void* exit_before_store(void* argument) {
  if (value == 0) pthread_exit(argument);
  value = 2;
  return argument;
}
static void run_pthread_exit(void) {
  pthread_create(&other, NULL, exit_before_store, NULL);
  value = 1;
  pthread_join(other, NULL);
  assert(value == 2);
}

// The maker may not have written the handle when the thread reads it: here, another's.
static pthread_t handles[2];
static void* find_own_handle(void* argument) {
  ++value;
  assert(pthread_self() == handles[value == 2]);
  return argument;
}
static void run_pthread_self(void) {
  pthread_create(&handles[0], NULL, find_own_handle, NULL);
  pthread_create(&handles[1], NULL, find_own_handle, NULL);
  pthread_join(handles[0], NULL);
  pthread_join(handles[1], NULL);
}

static void* compare_handles(void* argument) {
  if (value++ == 0) assert(pthread_equal(pthread_self(), handles[0]));
  return argument;
}
static void run_pthread_equal(void) {
  pthread_create(&handles[0], NULL, compare_handles, NULL);
  pthread_create(&handles[1], NULL, compare_handles, NULL);
  pthread_join(handles[0], NULL);
  pthread_join(handles[1], NULL);
}

// The destructor runs in the thread that ends, beside all others.
static void count_down(void* pointer) {
  (void)pointer;
  const int before = value;
  value = before - 1;
}
static void* keep_value(void* argument) {
  pthread_setspecific(key, &value);
  ++value;
  return argument;
}
static void run_pthread_key_create(void) {
  pthread_key_create(&key, count_down);
  run_two(keep_value, keep_value);
  assert(value == 0);
}

// A deleted key runs no destructor.
static void* delete_key(void* argument) {
  ++value;
  pthread_key_delete(key);
  --value;
  return argument;
}
static void run_pthread_key_delete(void) {
  pthread_key_create(&key, count_down);
  run_two(keep_value, delete_key);
  assert(value == 0);
}

// What another thread has set is not seen.
static void* expect_setting(void* argument) {
  if (value == 1) assert(pthread_getspecific(key) == &value);
  return argument;
}
static void run_pthread_setspecific(void) {
  pthread_key_create(&key, NULL);
  run_two(keep_value, expect_setting);
}
static void run_pthread_getspecific(void) {
  pthread_key_create(&key, NULL);
  run_two(expect_setting, keep_value);
}

// The handlers are to be registered once, but both threads look before either has.
static atomic_int registered;
static void handler(void) { value = 5; }
static void* register_once(void* argument) {
  if (value == 0) {
    assert(pthread_atfork(handler, handler, handler) == 0);
    value = 1;
    ++registered;
  }
  return argument;
}
static void run_pthread_atfork(void) {
  run_two(register_once, register_once);
  assert(registered == 1);
}

static int deep(int depth, const char* above) {
  char frame[1024];
  memset(frame, above[0], sizeof frame);
  return depth == 0 ? frame[9] : deep(depth - 1, frame) + frame[17];
}
static void* recurse(void* argument) {
  const char zero = 0;
  if (value == 0) deep(1024, &zero);  // a megabyte
  return argument;
}
static void run_pthread_attr_setstacksize(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 << 10);
  pthread_create(&other, &attributes, recurse, NULL);
  value = 1;
  pthread_join(other, NULL);
}

// Two threads at a time on one stack.
static _Alignas(4096) char stack[1 << 20];
static void* write_on_stack(void* argument) {
  volatile int mine[64];
  const int number = ++value;
  for (int i = 0; i < 64; ++i) mine[i] = number;
  const int seen = value;
  (void)seen;
  for (int i = 0; i < 64; ++i) assert(mine[i] == number);
  return argument;
}
static void run_pthread_attr_setstack(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack, sizeof stack);
  void* address;
  size_t size;
  pthread_attr_getstack(&attributes, &address, &size);
  pthread_create(&other, &attributes, write_on_stack, NULL);
  pthread_join(other, NULL);
  // The block that the first thread's stack held is taken for one that still holds what it held.
  assert(memchr(address, 1, size) == NULL);
}

static void run_pthread_attr_setdetachstate(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_create(&other, &attributes, set_value, NULL);
  pthread_join(other, NULL);
  assert(value == 1);
}

// A thread may be detached when its attributes are read.
static void* detach_self(void* argument) {
  pthread_detach(pthread_self());
  value = 1;
  while (value != 2) sched_yield();
  return argument;
}
static void run_pthread_getattr_np(void) {
  pthread_create(&other, NULL, detach_self, NULL);
  pthread_attr_t attributes;
  int state;
  const int seen = value;
  assert(pthread_getattr_np(other, &attributes) == 0);
  pthread_attr_getdetachstate(&attributes, &state);
  value = 2;
  assert(seen == 0 && state == PTHREAD_CREATE_JOINABLE);
}

// Names of one thread, given by two.
static pthread_t named;
static void* name_it(void* argument) {
  pthread_setname_np(named, "worker");
  value = 1;
  return argument;
}
static void* read_name(void* argument) {
  char name[16];
  const int seen = value;
  pthread_getname_np(named, name, sizeof name);
  assert(seen == 0 || strcmp(name, "main") == 0);
  return argument;
}
static void run_pthread_setname_np(void) {
  named = pthread_self();
  pthread_setname_np(named, "main");
  run_two(name_it, read_name);
}
static void run_pthread_getname_np(void) {
  named = pthread_self();
  pthread_setname_np(named, "main");
  run_two(read_name, name_it);
}

// No priority and no processor keeps another thread from running first.
static void* expect_first(void* argument) {
  assert(value == 0);
  value = 1;
  return argument;
}
static void run_pthread_setschedparam(void) {
  const struct sched_param high = {.sched_priority = 50};
  pthread_setschedparam(pthread_self(), SCHED_FIFO, &high);
  pthread_create(&other, NULL, set_value, NULL);
  expect_first(NULL);
}
static void run_pthread_setschedprio(void) {
  pthread_setschedprio(pthread_self(), 0);
  pthread_create(&other, NULL, set_value, NULL);
  expect_first(NULL);
}
static void* lower_main(void* argument) {
  const struct sched_param high = {.sched_priority = 10};
  value = 1;
  pthread_setschedparam(named, SCHED_RR, &high);
  return argument;
}
static void run_pthread_getschedparam(void) {
  named = pthread_self();
  pthread_create(&other, NULL, lower_main, NULL);
  int policy;
  struct sched_param priority;
  const int seen = value;
  pthread_getschedparam(named, &policy, &priority);
  assert(seen == 0 || policy == SCHED_OTHER);
}
static void run_pthread_setaffinity_np(void) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  pthread_setaffinity_np(pthread_self(), sizeof one, &one);
  pthread_create(&other, NULL, set_value, NULL);
  expect_first(NULL);
}
static void* pin_main(void* argument) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(63, &one);
  value = 1;
  pthread_setaffinity_np(named, sizeof one, &one);
  return argument;
}
static void run_pthread_getaffinity_np(void) {
  named = pthread_self();
  pthread_create(&other, NULL, pin_main, NULL);
  cpu_set_t set;
  const int seen = value;
  pthread_getaffinity_np(named, sizeof set, &set);
  assert(seen == 0 || !CPU_ISSET(63, &set));
}
// A counter for each processor is none for each thread.
static int counters[64];
static atomic_int total;
static void* count_on_processor(void* argument) {
  int* mine = &counters[sched_getcpu()];
  const int before = *mine;
  ++total;
  *mine = before + 1;
  return argument;
}
static void run_sched_getcpu(void) {
  run_two(count_on_processor, count_on_processor);
  assert(counters[sched_getcpu()] == total);
}
// The processor time of a thread goes on while others run.
static void run_pthread_getcpuclockid(void) {
  clockid_t clock;
  struct timespec before, after;
  pthread_create(&other, NULL, set_value, NULL);
  assert(pthread_getcpuclockid(other, &clock) == 0);
  clock_gettime(clock, &before);
  clock_gettime(clock, &after);
  assert(value == 0 || before.tv_sec > after.tv_sec);
}
static void run_pthread_setconcurrency(void) {
  pthread_setconcurrency(1);
  pthread_create(&other, NULL, set_value, NULL);
  expect_first(NULL);
  assert(pthread_getconcurrency() == 1);
}

MAIN(CASE(pthread_create), CASE(pthread_join), CASE(pthread_tryjoin_np), CASE(pthread_timedjoin_np),
     CASE(pthread_clockjoin_np), CASE(pthread_detach), CASE(pthread_exit), CASE(pthread_self), CASE(pthread_equal),
     CASE(pthread_key_create), CASE(pthread_key_delete), CASE(pthread_setspecific), CASE(pthread_getspecific),
     CASE(pthread_atfork), CASE(pthread_attr_setstacksize), CASE(pthread_attr_setstack),
     CASE(pthread_attr_setdetachstate), CASE(pthread_getattr_np), CASE(pthread_setname_np), CASE(pthread_getname_np),
     CASE(pthread_setschedparam), CASE(pthread_getschedparam), CASE(pthread_setschedprio),
     CASE(pthread_setaffinity_np), CASE(pthread_getaffinity_np), CASE(sched_getcpu), CASE(pthread_getcpuclockid),
     CASE(pthread_setconcurrency))
