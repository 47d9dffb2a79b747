// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// sem_timedwait on a semaphore that is posted, perhaps, or never.
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <time.h>

static sem_t posted;
static sem_t never;

static int wait_a_second(sem_t* semaphore) {
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 1;
  return sem_timedwait(semaphore, &deadline) == 0 ? 0 : errno;
}

static void* post(void* argument) {
  sem_post(&posted);
  return argument;
}

int main(void) {
  sem_init(&posted, 0, 0);
  sem_init(&never, 0, 0);
  pthread_t thread;
  pthread_create(&thread, NULL, post, NULL);
  int error = wait_a_second(&posted);
  assert(error == 0 || error == ETIMEDOUT);
  error = wait_a_second(&never);
  assert(error == ETIMEDOUT);
  pthread_join(thread, NULL);
  return 0;
}
