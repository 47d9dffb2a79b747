// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A POSIX semaphore of one permit is a lock; sem_trywait and sem_getvalue on the side.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t permit;
static int inside;

static void* enter(void* argument) {
  sem_wait(&permit);
  ++inside;
  assert(inside == 1);
  --inside;
  sem_post(&permit);
  return argument;
}

static void* try_to_enter(void* argument) {
  if (sem_trywait(&permit) == 0) {
    ++inside;
    assert(inside == 1);
    --inside;
    sem_post(&permit);
  } else {
    assert(errno == EAGAIN);
  }
  return argument;
}

int main(void) {
  sem_init(&permit, 0, 1);
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, enter, NULL);
  pthread_create(&threads[1], NULL, enter, NULL);
  pthread_create(&threads[2], NULL, try_to_enter, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  int value;
  sem_getvalue(&permit, &value);
  assert(value == 1);
  sem_destroy(&permit);
  return 0;
}
