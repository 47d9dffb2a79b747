// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The work-stealing queue of Cilk (Frigo, Leiserson and Randall, PLDI 1998), in a bounded circular buffer: the
// owner pushes and pops at the tail, a thief steals at the head, and the lock is taken only where both may want
// the last item. Each item is taken once.
//   BUG 1   pop does not give back the tail where the queue is empty
//   BUG 2   steal looks at the tail before it has announced its wish
//   BUG 3   pop looks at the head before it has announced its wish
//
// threads: 2
// states: 6973
// bug 1 (-DBUG=1): assertion, 1 preemption, 2 switches
// bug 2 (-DBUG=2): assertion, 2 preemptions, 3 switches
// bug 3 (-DBUG=3): assertion, 1 preemption, 2 switches

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef ITEMS
#define ITEMS 8
#endif
enum { kSize = 8, kNone = -1 };

static atomic_int items[kSize], head, tail, taken[ITEMS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int push(int item) {
  int end = tail;
  if (end - head >= kSize) return 0;
  items[end % kSize] = item;
  tail = end + 1;
  return 1;
}

static int pop(void) {
#if BUG == 3
  const int begin = head;
  const int end = tail - 1;
  tail = end;
#else
  const int end = tail - 1;
  tail = end;
  const int begin = head;
#endif
  if (begin <= end) return items[end % kSize];
  tail = end + 1;
  pthread_mutex_lock(&lock);
  int item = kNone;
  tail = end;
  if (head <= end)
    item = items[end % kSize];
  else if (BUG != 1)
    tail = end + 1;
  pthread_mutex_unlock(&lock);
  return item;
}

static int steal(void) {
  pthread_mutex_lock(&lock);
  const int begin = head;
  int item = kNone;
#if BUG == 2
  const int end = tail;
  head = begin + 1;
#else
  head = begin + 1;
  const int end = tail;
#endif
  if (begin < end)
    item = items[begin % kSize];
  else
    head = begin;
  pthread_mutex_unlock(&lock);
  return item;
}

static void take(int item) {
  if (item != kNone) assert(atomic_fetch_add(&taken[item], 1) == 0);
}

static void* thief(void* argument) {
  for (int i = 0; i < ITEMS / 2; ++i) take(steal());
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, thief, 0);
  for (int i = 0; i < ITEMS; i += 2) {
    push(i);
    push(i + 1);
    take(pop());
  }
  take(pop());
  pthread_join(thread, 0);
  for (int item = pop(); item != kNone; item = pop()) take(item);
  for (int i = 0; i < ITEMS; ++i) assert(taken[i] == 1);
}
