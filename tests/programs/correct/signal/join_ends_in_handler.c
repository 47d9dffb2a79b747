// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// The thread that is waited for ends while its waiter handles a signal from it. Behind so many threads that places
// are given away again, the next one takes its place and ends at once, which is none of the waiter's business any
// more.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_int handled;  // and left by the thread
static pthread_t waiter;

static void handle(int signal) {
  (void)signal;
  ++handled;
}

static void* interrupt(void* unused) {
  assert(pthread_kill(waiter, SIGUSR1) == 0);
  ++handled;
  return unused;
}

static void* end(void* unused) { return unused; }

int main(void) {
  waiter = pthread_self();
  signal(SIGUSR1, handle);
  enum { kPlaces = 1024 };
  for (int i = 1; i <= kPlaces + 1; ++i) {
    pthread_t thread;
    assert(pthread_create(&thread, NULL, i == kPlaces ? interrupt : end, NULL) == 0);
    assert(pthread_join(thread, NULL) == 0);
  }
  assert(handled == 2);
  return 0;
}
