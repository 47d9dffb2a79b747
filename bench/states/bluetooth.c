// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A driver that is stopped while others use it (the Bluetooth driver of Qadeer and Wu, PLDI 2004, written
// afresh): who uses it counts itself in, and who stops it waits until nobody is in.
//   BUG 1   the count goes up after the look at the flag, so that it may be stopped in between
//
// threads: 3
// states: 833
// bug 1 (-DBUG=1): assertion, 2 preemptions, 3 switches

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef USERS
#define USERS 2
#endif

static atomic_int pending = 1, stopping, stopped;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t nobody_is_in = PTHREAD_COND_INITIALIZER;
static int is_over;

static void leave(void) {
  if (atomic_fetch_sub(&pending, 1) != 1) return;
  pthread_mutex_lock(&lock);
  is_over = 1;
  pthread_cond_signal(&nobody_is_in);
  pthread_mutex_unlock(&lock);
}

static int enter(void) {
#if BUG == 1
  if (stopping) return 0;
  atomic_fetch_add(&pending, 1);
  return 1;
#else
  atomic_fetch_add(&pending, 1);
  if (!stopping) return 1;
  leave();
  return 0;
#endif
}

static void* use(void* argument) {
  if (enter()) {
    assert(!stopped);
    leave();
  }
  return argument;
}

int main(void) {
  pthread_t users[USERS];
  for (int i = 0; i < USERS; ++i) pthread_create(&users[i], 0, use, 0);
  stopping = 1;
  leave();
  pthread_mutex_lock(&lock);
  while (!is_over) pthread_cond_wait(&nobody_is_in, &lock);
  pthread_mutex_unlock(&lock);
  stopped = 1;
  for (int i = 0; i < USERS; ++i) pthread_join(users[i], 0);
}
