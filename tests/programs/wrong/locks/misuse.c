// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// plain: no
// compilers: both
// case unlock_free: bug lock-misuse preemptions=0
// case unlock_twice: bug lock-misuse preemptions=0
// case unlock_of_other: bug lock-misuse preemptions=2
// case destroy_held: bug lock-misuse preemptions=0
// case destroy_held_by_other: bug lock-misuse preemptions=2
// case destroy_recursive: bug lock-misuse preemptions=0
// case destroy_waited_with: bug lock-misuse preemptions=1
// case wait_without_mutex: bug lock-misuse preemptions=0
// case wait_with_mutex_of_other: bug lock-misuse preemptions=2
// case wait_alone_without_mutex: bug lock-misuse preemptions=0
// case two_mutexes: bug lock-misuse preemptions=1
// case destroy_condition: bug lock-misuse preemptions=1
// case spin_unlock_free: bug lock-misuse preemptions=0
// case spin_unlock_of_other: bug lock-misuse preemptions=2
// case spin_destroy_held: bug lock-misuse preemptions=0
// case rwlock_unlock_free: bug lock-misuse preemptions=0
// case rwlock_unlock_of_writer: bug lock-misuse preemptions=2
// case rwlock_unlock_of_reader: bug lock-misuse preemptions=2
// case rwlock_destroy_read: bug lock-misuse preemptions=0
// case rwlock_destroy_written: bug lock-misuse preemptions=0
// case c11_relock: bug lock-misuse preemptions=0
// case c11_unlock_free: bug lock-misuse preemptions=0
// case c11_destroy_held: bug lock-misuse preemptions=0
//
// Calls on locks that have no meaning. Where the other thread holds the lock, it does so between two calls of
// its own.
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <threads.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static mtx_t plain;
static int waiting;  // under the mutex
static int stop;
static const char* name;

static int is(const char* one) { return strcmp(name, one) == 0; }

// What the other thread does all the time.
static void other_part(void) {
  if (is("destroy_waited_with") || is("destroy_condition") || is("two_mutexes")) {
    pthread_mutex_lock(&mutex);
    waiting = 1;
    while (!stop) pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
  } else if (is("spin_unlock_of_other")) {
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
  } else if (is("rwlock_unlock_of_writer")) {
    pthread_rwlock_wrlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
  } else if (is("rwlock_unlock_of_reader")) {
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
  } else {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
}

static void* other(void* argument) {
  other_part();
  return argument;
}

// The lock is the other thread's; where it is not, it is given back.
static int other_holds(void) {
  if (pthread_mutex_trylock(&mutex) != 0) return 1;
  pthread_mutex_unlock(&mutex);
  return 0;
}

static void misuse_mutex(void) {
  if (is("unlock_free")) pthread_mutex_unlock(&second);
  if (is("unlock_twice")) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  if (is("unlock_of_other") && other_holds()) pthread_mutex_unlock(&mutex);
  if (is("destroy_held")) {
    pthread_mutex_lock(&second);
    pthread_mutex_destroy(&second);
  }
  if (is("destroy_held_by_other") && other_holds()) pthread_mutex_destroy(&mutex);
  if (is("destroy_recursive")) {
    pthread_mutex_lock(&recursive);
    pthread_mutex_destroy(&recursive);
  }
}

static void misuse_condition(void) {
  if (is("wait_without_mutex")) pthread_cond_wait(&condition, &second);
  if (is("wait_with_mutex_of_other") && other_holds()) pthread_cond_wait(&condition, &mutex);
  if (!is("two_mutexes") && !is("destroy_waited_with") && !is("destroy_condition")) return;
  pthread_mutex_lock(&mutex);
  int other_waits = waiting;
  stop = !other_waits;
  if (is("destroy_waited_with")) pthread_cond_broadcast(&condition);
  pthread_mutex_unlock(&mutex);
  if (!other_waits) return;
  if (is("two_mutexes")) {
    pthread_mutex_lock(&second);
    pthread_cond_wait(&condition, &second);
  }
  if (is("destroy_condition")) pthread_cond_destroy(&condition);
  if (is("destroy_waited_with")) pthread_mutex_destroy(&mutex);
}

static void misuse_others(void) {
  if (is("spin_unlock_free")) pthread_spin_unlock(&spin);
  // These try-locks succeed, or not; either way they are followed by an unlock.
  if (is("spin_unlock_of_other")) {
    pthread_spin_trylock(&spin);
    pthread_spin_unlock(&spin);
  }
  if (is("spin_destroy_held")) pthread_spin_lock(&spin);
  if (is("spin_destroy_held")) pthread_spin_destroy(&spin);
  if (is("rwlock_unlock_free")) pthread_rwlock_unlock(&rwlock);
  if (is("rwlock_unlock_of_writer") || is("rwlock_unlock_of_reader")) {
    if (is("rwlock_unlock_of_writer")) pthread_rwlock_tryrdlock(&rwlock);
    if (is("rwlock_unlock_of_reader")) pthread_rwlock_trywrlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
  }
  if (is("rwlock_destroy_read")) pthread_rwlock_rdlock(&rwlock);
  if (is("rwlock_destroy_written")) pthread_rwlock_wrlock(&rwlock);
  if (is("rwlock_destroy_read") || is("rwlock_destroy_written")) pthread_rwlock_destroy(&rwlock);
  if (is("c11_relock") || is("c11_destroy_held")) mtx_lock(&plain);
  if (is("c11_relock")) mtx_lock(&plain);
  if (is("c11_unlock_free")) mtx_unlock(&plain);
  if (is("c11_destroy_held")) mtx_destroy(&plain);
}

int main(int count, char** arguments) {
  name = count > 1 ? arguments[1] : "";
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  mtx_init(&plain, mtx_plain);
  if (is("wait_alone_without_mutex")) pthread_cond_wait(&condition, &mutex);
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);
  misuse_mutex();
  misuse_condition();
  misuse_others();
  pthread_join(thread, NULL);
  return 0;
}
