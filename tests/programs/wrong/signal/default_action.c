// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug crash preemptions=1
//
// SIGTERM where nobody has installed a handler yet: it ends the process.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static void handle(int number) { (void)number; }

static void* ask_to_end(void* argument) {
  kill(getpid(), SIGTERM);
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, ask_to_end, NULL);
  signal(SIGTERM, handle);
  pthread_join(thread, NULL);
  return 0;
}
