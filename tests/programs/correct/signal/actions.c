// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// What sigaction promises a handler: its mask, SA_NODEFER, SA_RESETHAND, SA_SIGINFO, SA_ONSTACK; and what it
// gives back.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

static char alternate[1 << 16];
static volatile int depth;
static volatile int deepest;
static volatile int calls[3];

static void enter(void) {
  ++depth;
  if (depth > deepest) deepest = depth;
}

static void masks(int number) {
  (void)number;
  enter();
  if (calls[0] == 0) raise(SIGUSR1);  // its own: blocked until it returns
  raise(SIGUSR2);                     // in its mask
  sigset_t pending;
  sigpending(&pending);
  assert(sigismember(&pending, SIGUSR2));
  assert(deepest == 1);
  --depth;
  ++calls[0];
}

static void nests(int number) {
  (void)number;
  enter();
  if (calls[1]++ == 0) raise(SIGUSR1);
  --depth;
}

static void told(int number, siginfo_t* info, void* context) {
  assert(number == SIGUSR1 && info->si_signo == SIGUSR1 && info->si_pid == getpid() && context);
  char local;
  uintptr_t here = (uintptr_t)&local;
  assert(here >= (uintptr_t)alternate && here < (uintptr_t)alternate + sizeof alternate);
  stack_t stack;
  assert(sigaltstack(NULL, &stack) == 0 && stack.ss_flags == SS_ONSTACK);
  ++calls[2];
}

static void count_other(int number) {
  (void)number;
  assert(depth == 0);
}

static void* work(void* argument) {
  deepest = 0;
  struct sigaction action = {.sa_handler = masks};
  sigaddset(&action.sa_mask, SIGUSR2);
  sigaction(SIGUSR1, &action, NULL);
  signal(SIGUSR2, count_other);
  raise(SIGUSR1);
  assert(calls[0] == 2);
  signal(SIGUSR1, SIG_IGN);
  assert(raise(SIGUSR1) == 0);

  deepest = 0;
  struct sigaction again = {.sa_handler = nests, .sa_flags = SA_NODEFER};
  struct sigaction old;
  sigaction(SIGUSR1, &again, &old);
  assert(old.sa_handler == SIG_IGN);
  raise(SIGUSR1);
  assert(calls[1] == 2 && deepest == 2);

  stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
  assert(sigaltstack(&stack, NULL) == 0);
  struct sigaction once = {.sa_sigaction = told, .sa_flags = SA_SIGINFO | SA_RESETHAND | SA_ONSTACK};
  sigaction(SIGUSR1, &once, NULL);
  raise(SIGUSR1);
  sigaction(SIGUSR1, NULL, &old);
  assert(calls[2] == 1 && old.sa_handler == SIG_DFL);
  return argument;
}

int main(void) {
  // masks() leaves one SIGUSR1 pending, which comes when it has returned: once more.
  work(NULL);
  for (int i = 0; i < 3; ++i) calls[i] = 0;
  stack_t none = {.ss_flags = SS_DISABLE};
  sigaltstack(&none, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  return 0;
}
