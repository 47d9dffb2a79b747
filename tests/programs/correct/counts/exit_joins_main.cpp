// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 3
// count dpor: 3
//
// Main does one operation and leaves by pthread_exit; a thread joins it and then does one, another one does
// one in between, before or behind: 3 orders of the three, which are all on one variable. Main has ended for
// who joins it, though it ends the process later.
#include <pthread.h>

#include <atomic>

static std::atomic<int> x;
static pthread_t first;

static void* follow(void*) {
  pthread_join(first, nullptr);
  x.fetch_add(1);
  return nullptr;
}

static void* work(void*) {
  x.fetch_add(1);
  return nullptr;
}

int main() {
  first = pthread_self();
  pthread_t thread;
  pthread_create(&thread, nullptr, follow, nullptr);
  pthread_create(&thread, nullptr, work, nullptr);
  x.fetch_add(1);
  pthread_exit(nullptr);
}
