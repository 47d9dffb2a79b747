// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a call of the C library leaves in memory for one thread, another thread reads; nothing orders the two.
// plain: no
// case empty_set: bug data-race
// case full_set: bug data-race
// case added: bug data-race
// case deleted: bug data-race
// case name: bug data-race
// case policy: bug data-race
// case priority: bug data-race
// case affinity: bug data-race
// case own_affinity: bug data-race
// case clock: bug data-race
// case attributes: bug data-race
// case stack_size: bug data-race
// case detached: bug data-race
// case mutex_kind: bug data-race
// case set_kind: bug data-race
// case condition: bug data-race
// case rwlock: bug data-race
// case barrier: bug data-race
// case quotient: bug data-race
// case cosine: bug data-race
// case sign: bug data-race
// case old_mask: bug data-race
// case old_action: bug data-race
// case pending: bug data-race
// case old_stack: bug data-race
// case joined: bug data-race
// case key: bug data-race
// case c11_key: bug data-race
// case cancel_state: bug data-race
// case cancel_type: bug data-race
// case waited: bug data-race
// case waited_info: bug data-race
// case timed_info: bug data-race
// case timer: bug data-race
// case old_timer: bug data-race
// case timer_value: bug data-race
// case old_interval: bug data-race
// case interval: bug data-race
// case aligned: bug data-race
#define _GNU_SOURCE
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <threads.h>

#include "../../cases.h"

static union {
  char bytes[sizeof(cpu_set_t)];
  sigset_t signals;
  int number;
  size_t size;
  void* pointer;
  pthread_key_t key;
  tss_t c11_key;
  struct sigaction action;
  stack_t stack;
  siginfo_t info;
  timer_t timer;
  struct itimerspec timer_value;
  struct itimerval interval;
  double real;
  clockid_t clock;
  cpu_set_t processors;
  struct sched_param priority;
  pthread_attr_t attributes;
  pthread_mutexattr_t mutex;
  pthread_condattr_t condition;
  pthread_rwlockattr_t rwlock;
  pthread_barrierattr_t barrier;
} place;

// The thread does that, and main reads the first byte.
#define RESULT(name, statement)                      \
  static void* do_##name(void* unused) {             \
    statement;                                       \
    return unused;                                   \
  }                                                  \
  static void run_##name(void) {                     \
    pthread_t thread;                                \
    pthread_create(&thread, NULL, do_##name, NULL);  \
    const volatile char* const byte = place.bytes;   \
    if (*byte == 'x') abort();                       \
    pthread_join(thread, NULL);                      \
  }

RESULT(empty_set, sigemptyset(&place.signals))
RESULT(full_set, sigfillset(&place.signals))
RESULT(added, sigaddset(&place.signals, SIGUSR1))
RESULT(deleted, sigdelset(&place.signals, SIGUSR1))
RESULT(name, pthread_getname_np(pthread_self(), place.bytes, 16))
RESULT(policy, struct sched_param own; pthread_getschedparam(pthread_self(), &place.number, &own))
RESULT(priority, int own; pthread_getschedparam(pthread_self(), &own, &place.priority))
RESULT(affinity, pthread_getaffinity_np(pthread_self(), sizeof place.processors, &place.processors))
RESULT(own_affinity, sched_getaffinity(0, sizeof place.processors, &place.processors))
RESULT(clock, pthread_getcpuclockid(pthread_self(), &place.clock))
RESULT(attributes, pthread_attr_init(&place.attributes))
RESULT(stack_size, pthread_attr_t own; pthread_attr_init(&own); pthread_attr_getstacksize(&own, &place.size))
RESULT(detached, pthread_attr_t own; pthread_attr_init(&own); pthread_attr_getdetachstate(&own, &place.number))
RESULT(mutex_kind, pthread_mutexattr_t own; pthread_mutexattr_init(&own);
       pthread_mutexattr_gettype(&own, &place.number))
RESULT(set_kind, pthread_mutexattr_settype(&place.mutex, PTHREAD_MUTEX_RECURSIVE))
RESULT(condition, pthread_condattr_init(&place.condition))
RESULT(rwlock, pthread_rwlockattr_init(&place.rwlock))
RESULT(barrier, pthread_barrierattr_init(&place.barrier))
RESULT(quotient, remquo(7, 3, &place.number))
RESULT(cosine, double sine; sincos(1.0, &sine, &place.real))
RESULT(sign, lgamma_r(3.0, &place.number))
RESULT(old_mask, pthread_sigmask(SIG_BLOCK, NULL, &place.signals))
RESULT(old_action, sigaction(SIGUSR1, NULL, &place.action))
RESULT(pending, sigpending(&place.signals))
RESULT(old_stack, sigaltstack(NULL, &place.stack))
static void* end_at_once(void* argument) { return argument; }
RESULT(joined, pthread_t own; pthread_create(&own, NULL, end_at_once, NULL); pthread_join(own, &place.pointer))
RESULT(key, pthread_key_create(&place.key, NULL))
RESULT(c11_key, tss_create(&place.c11_key, NULL))
RESULT(cancel_state, pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &place.number))
RESULT(cancel_type, pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &place.number))

// A signal that is pending for the calling thread.
static const sigset_t* pending_signal(void) {
  static _Thread_local sigset_t set;
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  raise(SIGUSR1);
  return &set;
}
RESULT(waited, sigwait(pending_signal(), &place.number))
RESULT(waited_info, sigwaitinfo(pending_signal(), &place.info))
RESULT(timed_info, const struct timespec none = {0}; sigtimedwait(pending_signal(), &place.info, &none))

RESULT(timer, timer_create(CLOCK_MONOTONIC, NULL, &place.timer))
static timer_t own_timer(void) {
  timer_t timer;
  timer_create(CLOCK_MONOTONIC, NULL, &timer);
  return timer;
}
RESULT(old_timer, const struct itimerspec none = {0}; timer_settime(own_timer(), 0, &none, &place.timer_value))
RESULT(timer_value, timer_gettime(own_timer(), &place.timer_value))
RESULT(old_interval, const struct itimerval none = {0}; setitimer(ITIMER_REAL, &none, &place.interval))
RESULT(interval, getitimer(ITIMER_REAL, &place.interval))
RESULT(aligned, if (posix_memalign(&place.pointer, 64, 64) != 0) abort(); free(place.pointer))

MAIN(CASE(empty_set), CASE(full_set), CASE(added), CASE(deleted), CASE(name), CASE(policy), CASE(priority),
     CASE(affinity), CASE(own_affinity), CASE(clock), CASE(attributes), CASE(stack_size), CASE(detached),
     CASE(mutex_kind), CASE(set_kind), CASE(condition), CASE(rwlock), CASE(barrier), CASE(quotient), CASE(cosine),
     CASE(sign), CASE(old_mask), CASE(old_action), CASE(pending), CASE(old_stack), CASE(joined), CASE(key), CASE(c11_key), CASE(cancel_state), CASE(cancel_type),
     CASE(waited), CASE(waited_info), CASE(timed_info), CASE(timer), CASE(old_timer),
     CASE(timer_value), CASE(old_interval), CASE(interval), CASE(aligned))
