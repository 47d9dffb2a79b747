// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A leader is elected in a ring (Chang and Roberts, CACM 1979): each process sends its number around, passes on
// larger ones and swallows smaller ones. Channels hold one message.
//   BUG 1   a process also passes on smaller numbers if it has seen no larger one
//
// threads: 4
// states: 8932
// bug 1 (-DBUG=1): assertion, 0 preemptions

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef PROCESSES
#define PROCESSES 3
#endif
enum { kEmpty = 0, kOver = 100 };

static const int numbers[] = {2, 4, 1, 3, 5};
static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int message;
} channels[PROCESSES];
static atomic_int leaders;

static void send(int to, int message) {
  pthread_mutex_lock(&channels[to].lock);
  while (channels[to].message != kEmpty) pthread_cond_wait(&channels[to].changed, &channels[to].lock);
  channels[to].message = message;
  pthread_cond_broadcast(&channels[to].changed);
  pthread_mutex_unlock(&channels[to].lock);
}

static int receive(int at) {
  pthread_mutex_lock(&channels[at].lock);
  while (channels[at].message == kEmpty) pthread_cond_wait(&channels[at].changed, &channels[at].lock);
  const int message = channels[at].message;
  channels[at].message = kEmpty;
  pthread_cond_broadcast(&channels[at].changed);
  pthread_mutex_unlock(&channels[at].lock);
  return message;
}

static void* run(void* argument) {
  const int me = (int)(long)argument, next = (me + 1) % PROCESSES;
  int passed = 0;
  send(next, numbers[me]);
  for (;;) {
    const int message = receive(me);
    if (message == kOver) {
      if (me != PROCESSES - 1) send(next, kOver);
      return argument;
    }
    if (message == numbers[me]) {
      leaders++;
      assert(leaders == 1);
      for (int i = 0; i < PROCESSES; ++i) assert(numbers[i] <= numbers[me]);
      send(0, kOver);
      continue;
    }
    if (message > numbers[me] || (BUG == 1 && !passed)) {
      passed = 1;
      send(next, message);
    }
  }
}

int main(void) {
  pthread_t processes[PROCESSES];
  for (int i = 0; i < PROCESSES; ++i) {
    pthread_mutex_init(&channels[i].lock, 0);
    pthread_cond_init(&channels[i].changed, 0);
  }
  for (long i = 0; i < PROCESSES; ++i) pthread_create(&processes[i], 0, run, (void*)i);
  for (int i = 0; i < PROCESSES; ++i) pthread_join(processes[i], 0);
  assert(leaders == 1);
}
