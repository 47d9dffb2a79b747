// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// compilers: both
//
// tgkill sends to the thread of that id, and only to it; there is none of an id that nobody has.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static pid_t id;
static atomic_int told;
static atomic_int handled;
static pthread_t thread;

static void handle(int number) {
  assert(number == SIGUSR1 && gettid() == id);
  handled = 1;
}

static void* work(void* argument) {
  id = gettid();
  told = 1;
  while (!handled) {
  }
  return argument;
}

int main(void) {
  signal(SIGUSR1, handle);
  pthread_create(&thread, NULL, work, NULL);
  while (!told) {
  }
  assert(id != gettid());
  assert(tgkill(getpid(), 0x7ffffff0, SIGUSR1) == -1 && errno == ESRCH);
  assert(tgkill(getpid(), id, 0) == 0);
  assert(tgkill(getpid(), id, SIGUSR1) == 0);
  pthread_join(thread, NULL);
  assert(handled == 1);
  return 0;
}
