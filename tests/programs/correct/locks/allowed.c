// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// case error_checking: exhausted
// case recursive: exhausted
// case robust: exhausted
// case timed_relock: exhausted
// case timed_relock_at_exit: exhausted
// case destroy_after_use: exhausted
// case condition_with_another_later: exhausted
// case readers: exhausted
// case init_again: exhausted
//
// Calls on locks that look like misuse, and are none: POSIX says what they give.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char* name;
static int is(const char* one) { return strcmp(name, one) == 0; }

static pthread_mutex_t first;
static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static int rounds;

static void init(int type, int robust) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutexattr_setrobust(&attributes, robust);
  pthread_mutex_init(&first, &attributes);
}

// It does not hold the mutex, though others may.
static void* not_mine(void* argument) {
  assert(pthread_mutex_unlock(&first) == EPERM);
  assert(pthread_cond_wait(&condition, &first) == EPERM);
  if (is("error_checking")) {
    int error = pthread_mutex_destroy(&first);
    assert(error == EBUSY);
  }
  return argument;
}

static void* lock_and_leave(void* argument) {
  pthread_mutex_lock(&first);
  return argument;
}

static void* nothing(void* argument) { return argument; }

static void with_other(void* (*body)(void*)) {
  pthread_t thread;
  pthread_create(&thread, NULL, body, NULL);
  pthread_join(thread, NULL);
}

static void checked(void) {
  init(is("recursive") ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
  assert(pthread_mutex_unlock(&first) == EPERM);
  pthread_mutex_lock(&first);
  assert(pthread_mutex_lock(&first) == (is("recursive") ? 0 : EDEADLK));
  with_other(not_mine);
  pthread_mutex_unlock(&first);
  if (is("recursive")) pthread_mutex_unlock(&first);
  assert(pthread_mutex_destroy(&first) == 0);
}

// One whose owner has ended may be repaired, or destroyed as it is.
static void robust(void) {
  init(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
  assert(pthread_mutex_unlock(&first) == EPERM);
  with_other(lock_and_leave);
  assert(pthread_mutex_lock(&first) == EOWNERDEAD);
  pthread_mutex_consistent(&first);
  pthread_mutex_unlock(&first);
  with_other(lock_and_leave);
  assert(pthread_mutex_destroy(&first) == 0);
}

static void timed_relock(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_sec += 1;
  pthread_mutex_lock(&second);
  assert(pthread_mutex_timedlock(&second, &time) == ETIMEDOUT);
  assert(pthread_mutex_trylock(&second) == EBUSY);
  pthread_mutex_unlock(&second);
}

// The process may end while a thread waits so: it would go on by itself.
static void* relock_until(void* argument) {
  timed_relock();
  return argument;
}

// POSIX: a mutex may be destroyed as soon as it is unlocked, a condition variable as soon as all have been
// woken, a semaphore when nobody waits, a barrier after its last phase.
struct Once {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  sem_t semaphore;
  pthread_barrier_t barrier;
  int ready;
};

static void* wait_once(void* argument) {
  struct Once* once = argument;
  pthread_mutex_lock(&once->mutex);
  while (!once->ready) pthread_cond_wait(&once->condition, &once->mutex);
  pthread_mutex_unlock(&once->mutex);
  sem_post(&once->semaphore);
  return argument;
}

static void* meet(void* argument) {
  pthread_barrier_wait(&((struct Once*)argument)->barrier);
  return argument;
}

static void destroy_after_use(void) {
  struct Once* once = malloc(sizeof *once);
  pthread_mutex_init(&once->mutex, NULL);
  pthread_cond_init(&once->condition, NULL);
  sem_init(&once->semaphore, 0, 0);
  pthread_barrier_init(&once->barrier, NULL, 2);
  once->ready = 0;
  pthread_t waiter;
  pthread_t other;
  pthread_create(&waiter, NULL, wait_once, once);
  pthread_mutex_lock(&once->mutex);
  once->ready = 1;
  pthread_cond_broadcast(&once->condition);
  pthread_mutex_unlock(&once->mutex);
  sem_wait(&once->semaphore);
  sem_destroy(&once->semaphore);
  pthread_cond_destroy(&once->condition);
  pthread_mutex_destroy(&once->mutex);
  pthread_create(&other, NULL, meet, once);
  pthread_barrier_wait(&once->barrier);
  pthread_barrier_destroy(&once->barrier);
  pthread_join(waiter, NULL);
  pthread_join(other, NULL);
  free(once);
}

// With one mutex after another, not at the same time.
static void* wait_briefly(void* mutex) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  pthread_mutex_lock(mutex);
  pthread_cond_timedwait(&condition, mutex, &time);
  ++rounds;
  pthread_mutex_unlock(mutex);
  return NULL;
}

static void* read_twice(void* argument) {
  pthread_rwlock_rdlock(&rwlock);
  pthread_rwlock_rdlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);
  return argument;
}

static void readers(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, read_twice, NULL);
  read_twice(NULL);
  pthread_join(thread, NULL);
  pthread_rwlock_wrlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);
  assert(pthread_rwlock_destroy(&rwlock) == 0);
}

// Memory that holds anything, as after malloc, becomes a mutex; one that nobody holds may become one again.
static void init_again(void) {
  pthread_mutex_t* mutex = malloc(sizeof *mutex);
  memset(mutex, 0, sizeof *mutex);
  *(int*)mutex = 1;
  pthread_mutex_init(mutex, NULL);
  pthread_mutex_lock(mutex);
  pthread_mutex_unlock(mutex);
  pthread_mutex_init(mutex, NULL);
  free(mutex);
  with_other(nothing);
}

int main(int count, char** arguments) {
  name = count > 1 ? arguments[1] : "error_checking";
  if (is("error_checking") || is("recursive")) checked();
  if (is("robust")) robust();
  if (is("timed_relock")) {
    with_other(nothing);
    timed_relock();
  }
  if (is("timed_relock_at_exit")) {
    pthread_t thread;
    pthread_create(&thread, NULL, relock_until, NULL);
  }
  if (is("destroy_after_use")) destroy_after_use();
  if (is("condition_with_another_later")) {
    pthread_t thread;
    pthread_mutex_init(&first, NULL);
    pthread_create(&thread, NULL, wait_briefly, &first);
    pthread_join(thread, NULL);
    wait_briefly(&second);
    assert(rounds == 2);
  }
  if (is("readers")) readers();
  if (is("init_again")) init_again();
  return 0;
}
