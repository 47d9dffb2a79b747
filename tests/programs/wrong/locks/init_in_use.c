// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// plain: no
// compilers: both
// case mutex_held: bug lock-misuse preemptions=0
// case mutex_held_by_other: bug data-race
// case mutex_on_heap: bug lock-misuse preemptions=0
// case mutex_recursive: bug lock-misuse preemptions=0
// case mutex_waited_with: bug lock-misuse preemptions=0
// case c11_held: bug lock-misuse preemptions=0
// case rwlock_written: bug lock-misuse preemptions=0
// case rwlock_read: bug lock-misuse preemptions=0
// case spin_held: bug lock-misuse preemptions=0
// case condition_waited_for: bug lock-misuse preemptions=0
// case c11_condition_waited_for: bug lock-misuse preemptions=0
// case barrier_waited_at: bug lock-misuse preemptions=0
// case semaphore_waited_for: bug lock-misuse preemptions=0
//
// What a thread holds, or waits for, is initialised anew.
#define _GNU_SOURCE
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <threads.h>

#include "../../cases.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static mtx_t plain;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static cnd_t c11_condition;
static pthread_barrier_t barrier;
static sem_t semaphore;
static atomic_int held;

static void* hold(void* argument) {
  pthread_mutex_lock(&mutex);
  held = 1;
  pthread_mutex_unlock(&mutex);
  return argument;
}

static void* sleep_at_condition(void* argument) {
  pthread_mutex_lock(&mutex);
  pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  return argument;
}

static void* sleep_at_c11_condition(void* argument) {
  mtx_lock(&plain);
  cnd_wait(&c11_condition, &plain);
  mtx_unlock(&plain);
  return argument;
}

static void* sleep_at_barrier(void* argument) {
  pthread_barrier_wait(&barrier);
  return argument;
}

static void* sleep_at_semaphore(void* argument) {
  sem_wait(&semaphore);
  return argument;
}

static void* no_op(void* argument) { return argument; }

// It has gone as far as it can when this is over, or nowhere.
static void start(body* function) {
  pthread_t thread;
  pthread_create(&thread, NULL, function, NULL);
  sched_yield();
}

static void run_mutex_held(void) {
  start(no_op);
  pthread_mutex_lock(&mutex);
  pthread_mutex_init(&mutex, NULL);
}

static void run_mutex_held_by_other(void) {
  start(hold);
  if (held) pthread_mutex_init(&mutex, NULL);
}

static void run_mutex_on_heap(void) {
  pthread_mutex_t* mine = malloc(sizeof *mine);
  pthread_mutex_init(mine, NULL);
  start(no_op);
  pthread_mutex_lock(mine);
  pthread_mutex_init(mine, NULL);
}

static void run_mutex_recursive(void) {
  start(no_op);
  pthread_mutex_lock(&recursive);
  pthread_mutex_init(&recursive, NULL);
}

static void run_mutex_waited_with(void) {
  start(sleep_at_condition);
  pthread_mutex_init(&mutex, NULL);
}

static void run_c11_held(void) {
  start(no_op);
  mtx_lock(&plain);
  mtx_init(&plain, mtx_plain);
}

static void run_rwlock_written(void) {
  start(no_op);
  pthread_rwlock_wrlock(&rwlock);
  pthread_rwlock_init(&rwlock, NULL);
}

static void run_rwlock_read(void) {
  start(no_op);
  pthread_rwlock_rdlock(&rwlock);
  pthread_rwlock_init(&rwlock, NULL);
}

static void run_spin_held(void) {
  start(no_op);
  pthread_spin_lock(&spin);
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
}

static void run_condition_waited_for(void) {
  start(sleep_at_condition);
  pthread_cond_init(&condition, NULL);
}

static void run_c11_condition_waited_for(void) {
  start(sleep_at_c11_condition);
  cnd_init(&c11_condition);
}

static void run_barrier_waited_at(void) {
  start(sleep_at_barrier);
  pthread_barrier_init(&barrier, NULL, 1);
}

static void run_semaphore_waited_for(void) {
  start(sleep_at_semaphore);
  sem_init(&semaphore, 0, 1);
}

int main(int argc, char** argv) {
  mtx_init(&plain, mtx_plain);
  cnd_init(&c11_condition);
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  pthread_barrier_init(&barrier, NULL, 2);
  sem_init(&semaphore, 0, 0);
  const struct test_case cases[] = {CASE(mutex_held),
                                    CASE(mutex_held_by_other),
                                    CASE(mutex_on_heap),
                                    CASE(mutex_recursive),
                                    CASE(mutex_waited_with),
                                    CASE(c11_held),
                                    CASE(rwlock_written),
                                    CASE(rwlock_read),
                                    CASE(spin_held),
                                    CASE(condition_waited_for),
                                    CASE(c11_condition_waited_for),
                                    CASE(barrier_waited_at),
                                    CASE(semaphore_waited_for)};
  return run_case(cases, sizeof cases / sizeof cases[0], argc, argv);
}
