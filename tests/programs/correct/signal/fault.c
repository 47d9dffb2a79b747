// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dpor: 2
//
// A handler for faults is called as the kernel would: it may leave by a long jump, or go on behind the fault.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <ucontext.h>

static _Thread_local sigjmp_buf out;
static _Thread_local volatile sig_atomic_t faults;
static atomic_int survived;
static char* volatile nowhere;

static void leave(int number, siginfo_t* info, void* context) {
  (void)context;
  assert(number == SIGSEGV && info->si_addr == (void*)16);
  ++faults;
  siglongjmp(out, 1);
}

// Skips the two bytes of ud2.
static void skip(int number, siginfo_t* info, void* raw_context) {
  assert(number == SIGILL && info->si_signo == SIGILL);
  ++faults;
  ucontext_t* context = raw_context;
  context->uc_mcontext.gregs[REG_RIP] += 2;
}

static double work_between(double value) {
  value *= 2;
  __asm__ volatile("ud2" : "+x"(value));
  return value + 1;
}

static void* work(void* argument) {
  if (sigsetjmp(out, 1) == 0) nowhere[16] = 1;
  assert(faults == 1);
  assert(work_between(3) == 7);
  assert(faults == 2);
  atomic_fetch_add(&survived, 1);
  return argument;
}

int main(void) {
  struct sigaction action = {.sa_sigaction = leave, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &action, NULL);
  action.sa_sigaction = skip;
  sigaction(SIGILL, &action, NULL);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(survived == 2);
  return 0;
}
