// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A thread polls a timer, and takes a lock each time.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <time.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int n;
void* b(void* x) {
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  return 0;
}
int main() {
  pthread_t t;
  pthread_create(&t, 0, b, 0);
  timer_t id;
  struct sigevent e = {0};
  e.sigev_notify = SIGEV_NONE;
  timer_create(CLOCK_MONOTONIC, &e, &id);
  struct itimerspec s = {{0, 0}, {0, 1000000}}, v;
  timer_settime(id, 0, &s, 0);
  for (;;) {
    timer_gettime(id, &v);
    if (v.it_value.tv_sec == 0 && v.it_value.tv_nsec == 0) break;
    pthread_mutex_lock(&m);
    n = n;
    pthread_mutex_unlock(&m);
  }
  pthread_join(t, 0);
  return 0;
}
