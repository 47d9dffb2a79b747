// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// plain: no
// compilers: both
// case after_destroy: exhausted
// case after_free: exhausted
// case in_frames: exhausted
// case in_a_pool: exhausted
// case as_other_object: exhausted
// case owner_has_ended: exhausted
// case nobody_waits: exhausted
// case neighbour_of_spin_lock: exhausted
//
// Memory becomes a lock again, or another object, though it may read as if somebody held what lay there
// before.
#define _GNU_SOURCE
#include <semaphore.h>
#include <stdatomic.h>
#include <threads.h>

#include "../../cases.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static int ready;

static void* no_op(void* argument) { return argument; }
static void* leave_locked(void* argument) {
  pthread_mutex_lock(&mutex);
  return argument;
}

static void start(body* function) {
  pthread_t thread;
  pthread_create(&thread, NULL, function, NULL);
  pthread_join(thread, NULL);
}

static void run_after_destroy(void) {
  start(no_op);
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_destroy(&mutex);
    pthread_mutex_init(&mutex, NULL);
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
    pthread_rwlock_init(&rwlock, NULL);
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  }
}

// Freed while locked; the block is given out again.
static void* use_block(void* argument) {
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_t* mine = malloc(sizeof *mine);
    pthread_mutex_init(mine, NULL);
    pthread_mutex_lock(mine);
    free(mine);
    pthread_rwlock_t* other = malloc(sizeof *other);
    pthread_rwlock_init(other, NULL);
    pthread_rwlock_rdlock(other);
    free(other);
  }
  return argument;
}
static void run_after_free(void) { run_two(use_block, use_block); }

// Frames that hold a locked mutex come and go.
__attribute__((noinline)) static void use_frame(void) {
  pthread_mutex_t mine;
  pthread_mutex_init(&mine, NULL);
  pthread_mutex_lock(&mine);
}
static void* use_frames(void* argument) {
  use_frame();
  use_frame();
  return argument;
}
static void run_in_frames(void) {
  use_frame();
  start(use_frames);
  use_frames(NULL);
}

// A pool of its own: what is taken from it is cleared.
static union {
  pthread_mutex_t mutex;
  pthread_spinlock_t spin;
  atomic_int count;
  int number;
  char bytes[64];
} pool;
static void run_in_a_pool(void) {
  start(no_op);
  for (int i = 0; i < 3; ++i) {
    memset(&pool, 0, sizeof pool);
    pthread_mutex_init(&pool.mutex, NULL);
    pthread_mutex_lock(&pool.mutex);
  }
}

// One is the number by which the runtime knows main.
static void run_as_other_object(void) {
  start(no_op);
  pool.number = 1;
  pthread_mutex_init(&pool.mutex, NULL);
  pool.number = 1;
  pthread_spin_init(&pool.spin, PTHREAD_PROCESS_PRIVATE);
}

static void run_owner_has_ended(void) {
  start(leave_locked);
  pthread_mutex_init(&mutex, NULL);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}

static void* wait_and_post(void* argument) {
  pthread_mutex_lock(&mutex);
  while (!ready) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  pthread_barrier_wait(&barrier);
  sem_wait(&semaphore);
  return argument;
}
static void run_nobody_waits(void) {
  for (int i = 0; i < 2; ++i) {
    pthread_cond_init(&condition, NULL);
    pthread_barrier_init(&barrier, NULL, 2);
    sem_init(&semaphore, 0, 0);
    ready = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, wait_and_post, NULL);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&mutex);
    pthread_barrier_wait(&barrier);
    sem_post(&semaphore);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&barrier);
  }
}

// What lies right behind a spin lock is no part of it.
static struct {
  pthread_spinlock_t spin;
  int number;
} both;
static void* count(void* argument) {
  ++both.number;
  return argument;
}
static void* come_and_go(void* argument) {
  pthread_spin_init(&both.spin, PTHREAD_PROCESS_PRIVATE);
  pthread_spin_lock(&both.spin);
  pthread_spin_unlock(&both.spin);
  pthread_spin_destroy(&both.spin);
  return argument;
}
static void run_neighbour_of_spin_lock(void) { run_two(count, come_and_go); }

int main(int argc, char** argv) {
  const struct test_case cases[] = {
      CASE(after_destroy),   CASE(after_free),      CASE(in_frames),    CASE(in_a_pool),
      CASE(as_other_object), CASE(owner_has_ended), CASE(nobody_waits), CASE(neighbour_of_spin_lock)};
  return run_case(cases, sizeof cases / sizeof cases[0], argc, argv);
}
