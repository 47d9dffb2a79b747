// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A transaction manager: a client begins transactions, works and commits; a reaper ends those that are too old; a
// list of slots holds them. A slot's state changes under its lock; a transaction that is being used is not ended.
//   BUG 1   commit looks at the state before it takes the lock
//   BUG 2   the reaper does not look whether a transaction is being used
//   BUG 3   the reaper lets the lock go between its look and the end
//
// threads: 3
// states: 215
// bug 1 (-DBUG=1): assertion, 1 preemption, 3 switches
// bug 2 (-DBUG=2): assertion, 1 preemption, 3 switches
// bug 3 (-DBUG=3): assertion, 2 preemptions, 4 switches

#include <assert.h>
#include <pthread.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
enum { kFree, kActive, kEnded };

static struct {
  pthread_mutex_t lock;
  int state, users, number;
} slot = {PTHREAD_MUTEX_INITIALIZER, kFree, 0, 0};
static int begin(void) {
  pthread_mutex_lock(&slot.lock);
  int number = -1;
  if (slot.state != kActive) {
    slot.state = kActive;
    slot.users = 0;
    number = ++slot.number;
  }
  pthread_mutex_unlock(&slot.lock);
  return number;
}

static int use(int number) {
  pthread_mutex_lock(&slot.lock);
  const int is_there = slot.state == kActive && slot.number == number;
  if (is_there) slot.users++;
  pthread_mutex_unlock(&slot.lock);
  return is_there;
}

static void work(void) {
  pthread_mutex_lock(&slot.lock);
  assert(slot.state == kActive && slot.users > 0);
  slot.users--;
  pthread_mutex_unlock(&slot.lock);
}

static void commit(int number) {
#if BUG == 1
  pthread_mutex_lock(&slot.lock);
  const int is_there = slot.state == kActive && slot.number == number;
  pthread_mutex_unlock(&slot.lock);
  pthread_mutex_lock(&slot.lock);
#else
  pthread_mutex_lock(&slot.lock);
  const int is_there = slot.state == kActive && slot.number == number;
#endif
  if (is_there) {
    assert(slot.state == kActive);
    slot.state = kFree;
  }
  pthread_mutex_unlock(&slot.lock);
}

static void* reap(void* argument) {
  for (int i = 0; i < ROUNDS; ++i) {
    pthread_mutex_lock(&slot.lock);
    const int is_old = slot.state == kActive && (slot.users == 0 || BUG == 2);
#if BUG == 3
    pthread_mutex_unlock(&slot.lock);
    pthread_mutex_lock(&slot.lock);
#endif
    if (is_old) {
      assert(slot.state == kActive);
      slot.state = kEnded;
    }
    pthread_mutex_unlock(&slot.lock);
  }
  return argument;
}

static void* run(void* argument) {
  for (int i = 0; i < ROUNDS; ++i) {
    const int number = begin();
    if (use(number)) work();
    commit(number);
  }
  return argument;
}

int main(void) {
  pthread_t client, reaper;
  pthread_create(&client, 0, run, 0);
  pthread_create(&reaper, 0, reap, 0);
  pthread_exit(0);
}
