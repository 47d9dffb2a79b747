// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 90
// count dpor: 1
//
// Three threads of two operations each on variables of their own, created detached, and main leaves by
// pthread_exit: 6!/(2! 2! 2!) = 90 executions of one class. The exit handler runs behind all of them, and so
// it may read what they wrote without a lock, and its own operation competes with none.
#include <pthread.h>

#include <atomic>
#include <cstdlib>

static std::atomic<int> x[3];
static int plain[3];
static std::atomic<int> sum;

static void* work(void* argument) {
  auto i = reinterpret_cast<long>(argument);
  x[i].fetch_add(1);
  plain[i] = 1;
  x[i].fetch_add(1);
  return nullptr;
}

int main() {
  std::atexit([] {
    for (int value : plain) sum.fetch_add(value);
    if (sum.load() != 3) std::abort();
  });
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  for (long i = 0; i < 3; ++i) {
    pthread_t thread;
    pthread_create(&thread, &detached, work, reinterpret_cast<void*>(i));
  }
  pthread_exit(nullptr);
}
