// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// plain: no
// compilers: both
// case mutex: bug lock-misuse preemptions=1
// case try_mutex: bug lock-misuse preemptions=1
// case unlock_mutex: bug lock-misuse preemptions=0
// case wait_with_mutex: bug lock-misuse preemptions=0
// case mutex_twice: bug lock-misuse preemptions=0
// case mutex_before_threads: bug lock-misuse preemptions=0
// case read_lock: bug lock-misuse preemptions=1
// case write_lock: bug lock-misuse preemptions=1
// case spin_lock: bug lock-misuse preemptions=1
// case condition_signal: bug lock-misuse preemptions=1
// case condition_wait: bug lock-misuse preemptions=0
// case barrier: bug lock-misuse preemptions=1
// case barrier_in_use: bug lock-misuse preemptions=0
// case barrier_in_block: bug lock-misuse preemptions=0
// case barrier_never: bug lock-misuse preemptions=0
// case semaphore_wait: bug lock-misuse preemptions=1
// case semaphore_post: bug lock-misuse preemptions=1
// case c11_mutex: bug lock-misuse preemptions=1
//
// Objects are used after they were destroyed. The other thread says that it has destroyed them, so that there
// is no race.
#define _GNU_SOURCE
#include <semaphore.h>
#include <stdatomic.h>
#include <threads.h>

#include "../../cases.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static mtx_t c11;
static atomic_int gone;

static void destroy_all(void) {
  pthread_mutex_destroy(&mutex);
  pthread_rwlock_destroy(&rwlock);
  pthread_spin_destroy(&spin);
  pthread_cond_destroy(&condition);
  pthread_barrier_destroy(&barrier);
  sem_destroy(&semaphore);
  mtx_destroy(&c11);
}
static void* destroyer(void* unused) {
  destroy_all();
  gone = 1;
  return unused;
}

// Whether the other thread was faster.
static int is_gone(void) {
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  pthread_barrier_init(&barrier, NULL, 2);
  sem_init(&semaphore, 0, 0);
  mtx_init(&c11, mtx_plain);
  pthread_t thread;
  pthread_create(&thread, NULL, destroyer, NULL);
  int result = gone;
  pthread_join(thread, NULL);
  return result;
}

static void* no_op(void* argument) { return argument; }
static void run_threads(void) { run_two(no_op, no_op); }

#define WHEN_GONE(name, use)    \
  static void run_##name(void) { \
    if (is_gone()) use;          \
  }
WHEN_GONE(mutex, pthread_mutex_lock(&mutex))  // reported: mutex
WHEN_GONE(try_mutex, pthread_mutex_trylock(&mutex))  // reported: try_mutex
static void run_unlock_mutex(void) {
  is_gone();
  pthread_mutex_unlock(&mutex);  // reported: unlock_mutex
}
static void run_wait_with_mutex(void) {
  run_threads();
  pthread_mutex_destroy(&mutex);
  pthread_cond_wait(&condition, &mutex);  // reported: wait_with_mutex
}
static void run_mutex_twice(void) {
  run_threads();
  pthread_mutex_destroy(&mutex);
  pthread_mutex_destroy(&mutex);  // reported: mutex_twice
}
static void run_mutex_before_threads(void) {
  pthread_mutex_destroy(&mutex);
  pthread_mutex_lock(&mutex);  // reported: mutex_before_threads
  run_threads();
}
WHEN_GONE(read_lock, pthread_rwlock_rdlock(&rwlock))  // reported: read_lock
WHEN_GONE(write_lock, pthread_rwlock_wrlock(&rwlock))  // reported: write_lock
WHEN_GONE(spin_lock, pthread_spin_lock(&spin))  // reported: spin_lock
WHEN_GONE(condition_signal, pthread_cond_signal(&condition))  // reported: condition_signal
static void run_condition_wait(void) {
  is_gone();
  pthread_mutex_lock(&other_mutex);
  pthread_cond_wait(&condition, &other_mutex);  // reported: condition_wait
}
WHEN_GONE(barrier, pthread_barrier_wait(&barrier))  // reported: barrier
static void* come(void* argument) {
  pthread_barrier_wait(&barrier);
  return argument;
}
static void run_barrier_in_use(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  run_two(come, come);
  pthread_barrier_init(&barrier, NULL, 2);  // reported: barrier_in_use
}
static void run_barrier_in_block(void) {
  pthread_barrier_t* block = malloc(sizeof *block);
  pthread_barrier_init(block, NULL, 1);
  run_threads();
  pthread_barrier_wait(block);
  pthread_barrier_init(block, NULL, 1);  // reported: barrier_in_block
  free(block);
}
static void run_barrier_never(void) {
  run_threads();
  pthread_barrier_wait(&barrier);  // reported: barrier_never
}
WHEN_GONE(semaphore_wait, sem_wait(&semaphore))  // reported: semaphore_wait
WHEN_GONE(semaphore_post, sem_post(&semaphore))  // reported: semaphore_post
WHEN_GONE(c11_mutex, mtx_lock(&c11))  // reported: c11_mutex

MAIN(CASE(mutex), CASE(try_mutex), CASE(unlock_mutex), CASE(wait_with_mutex), CASE(mutex_twice),
     CASE(mutex_before_threads), CASE(read_lock), CASE(write_lock), CASE(spin_lock), CASE(condition_signal),
     CASE(condition_wait), CASE(barrier), CASE(barrier_in_use), CASE(barrier_in_block), CASE(barrier_never),
     CASE(semaphore_wait), CASE(semaphore_post), CASE(c11_mutex))
