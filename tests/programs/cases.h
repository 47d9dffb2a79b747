/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs of several cases: the argument says which one runs. A case is a function; what its threads do are
 * functions, too. */
#ifndef THRUM_TESTS_CASES_H
#define THRUM_TESTS_CASES_H

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void* body(void*);

/* Two threads, from their creation to their end. */
static inline void run_two(body* first, body* second) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
}

/* A second from now on that clock. */
static inline struct timespec in_a_second(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  time.tv_sec += 1;
  return time;
}

struct test_case {
  const char* name;
  void (*run)(void);
};

#define CASE(name) {#name, run_##name}

static inline int run_case(const struct test_case* cases, unsigned long count, int argc, char** argv) {
  for (unsigned long i = 0; argc > 1 && i < count; ++i) {
    if (strcmp(cases[i].name, argv[1]) != 0) continue;
    cases[i].run();
    return 0;
  }
  return 125;
}

#define MAIN(...)                                                        \
  int main(int argc, char** argv) {                                      \
    const struct test_case cases[] = {__VA_ARGS__};                      \
    return run_case(cases, sizeof cases / sizeof cases[0], argc, argv);  \
  }

#endif
