// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 5
// count dpor: 4
//
// Main returns while two detached threads live, each with one operation on a variable of its own. The process
// exit cuts off what comes behind it: neither, one, the other or both have come by then, the last in two
// orders.
#include <pthread.h>

#include <atomic>

static std::atomic<int> x[2];

static void* work(void* argument) {
  x[reinterpret_cast<long>(argument)].fetch_add(1);
  return nullptr;
}

int main() {
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  for (long i = 0; i < 2; ++i) {
    pthread_t thread;
    pthread_create(&thread, &detached, work, reinterpret_cast<void*>(i));
  }
}
