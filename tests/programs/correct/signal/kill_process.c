// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// kill of the own process: exactly one thread that does not block the signal handles it, and which is open.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static atomic_int handled;
static atomic_int go_on;
static pthread_t deaf;

static void handle(int number) {
  (void)number;
  assert(!pthread_equal(pthread_self(), deaf));
  atomic_fetch_add(&handled, 1);
}

static void* listen(void* argument) {
  while (!go_on) {
  }
  return argument;
}

int main(void) {
  deaf = pthread_self();
  signal(SIGUSR2, handle);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, listen, NULL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  kill(getpid(), SIGUSR2);
  while (!handled) {
  }
  go_on = 1;
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(handled == 1);
  return 0;
}
