// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// plain: no
// compilers: both
// args: --steps 300
// case joined: bug lock-misuse preemptions=0
// case others_wait: bug lock-misuse preemptions=0
// case others_spin: bug lock-misuse preemptions=0
// case others_go_on: bug assertion preemptions=0
// case process_ends: bug lock-misuse preemptions=0
// case others_poll: bug lock-misuse preemptions=0
// case alone: bug lock-misuse preemptions=0
// case robust: bug lock-misuse preemptions=0
// case in_handler: bug lock-misuse preemptions=0
// case spin: bug lock-misuse preemptions=0
// case spin_alone: bug lock-misuse preemptions=0
// case upgrade: bug lock-misuse preemptions=0
// case upgrade_alone: bug lock-misuse preemptions=0
// case upgrade_queued: bug lock-misuse preemptions=0
// case in_a_circle: bug deadlock preemptions=1
//
// A thread waits for a lock that it holds: for ever, while others go on. However the execution ends then,
// that is what is wrong. A circle of threads that wait for each other is a deadlock, though one of them reads
// what another is to write.
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "../../cases.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int done;

static void* relock(void* argument) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&mutex);
  done = 1;
  return argument;
}

static void* relock_spin(void* argument) {
  pthread_spin_lock(&spin);
  pthread_spin_lock(&spin);
  return argument;
}

static void* upgrade(void* argument) {
  pthread_rwlock_rdlock(&rwlock);
  pthread_rwlock_wrlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);
  return argument;
}

static void* visit(void* argument) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return argument;
}

static void* no_op(void* argument) { return argument; }

static pthread_t start(body* function) {
  pthread_t thread;
  pthread_create(&thread, NULL, function, NULL);
  return thread;
}

static void run_joined(void) { pthread_join(start(relock), NULL); }
static void run_others_wait(void) { run_two(relock, visit); }

static void run_others_spin(void) {
  start(relock);
  while (!done) sched_yield();
}

static void run_others_go_on(void) {
  start(relock);
  sched_yield();  // the other is stuck then
  assert(pthread_mutex_trylock(&mutex) == 0);
}

static void run_process_ends(void) {
  start(relock);
  sched_yield();
}

static void run_others_poll(void) {
  start(relock);
  while (!done) usleep(1000);
}

// Before there is another thread.
static void run_alone(void) { relock(NULL); }
static void run_spin_alone(void) { relock_spin(NULL); }
static void run_upgrade_alone(void) { upgrade(NULL); }

static void run_robust(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &attributes);
  run_joined();
}

static void handle(int signal) {
  (void)signal;
  pthread_mutex_lock(&mutex);
}

static void run_in_handler(void) {
  signal(SIGUSR1, handle);
  pthread_join(start(no_op), NULL);
  pthread_mutex_lock(&mutex);
  raise(SIGUSR1);
}

static void run_spin(void) { pthread_join(start(relock_spin), NULL); }
static void run_upgrade(void) { pthread_join(start(upgrade), NULL); }

static void run_upgrade_queued(void) {
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
  pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&rwlock, &attributes);
  run_upgrade();
}

static void* writes_last(void* argument) {
  pthread_mutex_lock(&mutex);
  pthread_rwlock_wrlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);
  pthread_mutex_unlock(&mutex);
  return argument;
}
static void* reads_first(void* argument) {
  pthread_rwlock_rdlock(&rwlock);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_rwlock_unlock(&rwlock);
  return argument;
}
static void run_in_a_circle(void) { run_two(reads_first, writes_last); }

int main(int argc, char** argv) {
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  const struct test_case cases[] = {
      CASE(joined),      CASE(others_wait), CASE(others_spin),   CASE(others_go_on),   CASE(process_ends),
      CASE(others_poll), CASE(alone),       CASE(robust),        CASE(in_handler),     CASE(spin),
      CASE(spin_alone),  CASE(upgrade),     CASE(upgrade_alone), CASE(upgrade_queued), CASE(in_a_circle)};
  return run_case(cases, sizeof cases / sizeof cases[0], argc, argv);
}
