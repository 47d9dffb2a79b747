// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// sem_wait and nanosleep end with EINTR, and are to be tried again; condition waits and locks wait on; with
// SA_RESTART so does sem_wait.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

static sem_t semaphore;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready;
static int restarts;

static void handle(int number) { (void)number; }

static void* work(void* argument) {
  while (sem_wait(&semaphore) != 0) assert(errno == EINTR && !restarts);
  struct timespec left = {0, 1000};
  while (nanosleep(&left, &left) != 0) assert(errno == EINTR && left.tv_sec == 0 && left.tv_nsec <= 1000);
  pthread_mutex_lock(&mutex);
  while (!ready) assert(pthread_cond_wait(&condition, &mutex) == 0);
  pthread_mutex_unlock(&mutex);
  return argument;
}

static void run(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_kill(thread, SIGUSR1);
  sem_post(&semaphore);
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
}

int main(void) {
  sem_init(&semaphore, 0, 0);
  struct sigaction action = {.sa_handler = handle};
  sigaction(SIGUSR1, &action, NULL);
  run();
  restarts = 1;
  siginterrupt(SIGUSR1, 0);
  run();
  return 0;
}
