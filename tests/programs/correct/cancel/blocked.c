// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A thread is cancelled wherever it waits, its cleanup handlers run, and the join says so.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;

static void unlock(void* argument) {
  assert(pthread_mutex_trylock(&mutex) != 0);  // it is held again
  pthread_mutex_unlock(argument);
}

static void count(void* argument) { ++*(int*)argument; }

static void* wait_condition(void* counter) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(count, counter);
  pthread_cleanup_push(unlock, &mutex);
  for (;;) pthread_cond_wait(&condition, &mutex);
  pthread_cleanup_pop(1);
  pthread_cleanup_pop(1);
  return NULL;
}

static void* wait_semaphore(void* counter) {
  pthread_cleanup_push(count, counter);
  sem_wait(&semaphore);
  pthread_cleanup_pop(0);
  return NULL;
}

static void* wait_long(void* counter) {
  pthread_cleanup_push(count, counter);
  sleep(1000000);
  for (;;) pause();
  pthread_cleanup_pop(0);
  return NULL;
}

static void check(void* (*body)(void*)) {
  int counter = 0;
  pthread_t thread;
  void* result;
  pthread_create(&thread, NULL, body, &counter);
  assert(pthread_cancel(thread) == 0);
  assert(pthread_join(thread, &result) == 0);
  assert(result == PTHREAD_CANCELED && counter == 1);
}

int main(void) {
  sem_init(&semaphore, 0, 0);
  check(wait_condition);
  check(wait_semaphore);
  check(wait_long);
  assert(pthread_mutex_trylock(&mutex) == 0);
  return 0;
}
