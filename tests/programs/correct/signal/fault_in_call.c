// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dpor: 2
//
// Faults in functions of the C library and in atomic operations. A handler leaves them by a long jump, or makes the memory accessible, and the
// function goes on.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { kPage = 4096, kBytes = 100 };

static _Thread_local sigjmp_buf out;
static _Thread_local char *_Atomic closed;
static _Thread_local volatile sig_atomic_t faults;
static atomic_int survived;
static char *volatile nowhere;

static void on_fault(int number) {
  assert(number == SIGSEGV);
  ++faults;
  if (closed == NULL) siglongjmp(out, 1);
  mprotect(closed, kPage, PROT_READ | PROT_WRITE);
}

static void *work(void *argument) {
  char text[kBytes] = "before";
  if (sigsetjmp(out, 1) == 0) memcpy(text, nowhere, kBytes);
  assert(faults == 1 && strcmp(text, "before") == 0);
  volatile size_t size = kBytes;
  if (sigsetjmp(out, 1) == 0) memset(nowhere, 0, size);
  assert(faults == 2);
  if (sigsetjmp(out, 1) == 0) assert(strlen(nowhere) == 0);
  assert(faults == 3);
  if (sigsetjmp(out, 1) == 0) assert(strtol(nowhere, NULL, 10) == 0);
  assert(faults == 4);
  if (sigsetjmp(out, 1) == 0) atomic_fetch_add((atomic_int *)nowhere, 1);
  assert(faults == 5);
  closed = mmap(NULL, kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(closed != MAP_FAILED);
  memcpy(closed, text, size);
  assert(faults == 6 && strcmp(closed, "before") == 0);
  atomic_fetch_add(&survived, 1);
  return argument;
}

int main(void) {
  struct sigaction action = {.sa_handler = on_fault};
  sigaction(SIGSEGV, &action, NULL);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(survived == 2);
  return 0;
}
