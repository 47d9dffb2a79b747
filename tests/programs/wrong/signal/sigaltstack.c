// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=0
//
// Without SA_ONSTACK a handler stays on the stack of its thread.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

static char alternate[1 << 16];

static void handle(int number) {
  (void)number;
  char local;
  assert((uintptr_t)&local - (uintptr_t)alternate < sizeof alternate);
}

static void* work(void* argument) {
  stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
  sigaltstack(&stack, NULL);
  raise(SIGUSR1);
  return argument;
}

int main(void) {
  struct sigaction action = {.sa_handler = handle};
  sigaction(SIGUSR1, &action, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  return 0;
}
