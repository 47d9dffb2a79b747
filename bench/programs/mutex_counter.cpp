// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bound: none
// executions: 28
//
// Two threads, each of which announces itself and then increments a counter twice under a mutex: 11
// visible operations an execution, process exit included.
//
// Lock sections interleave as wholes: a thread is blocked while the other is inside. Where the
// first thread has the first section and j sections before the second thread's first one, the
// second thread's announcement stands anywhere among the 1 + 2j operations before that one, in 2j +
// 2 places. The orders ABAB and ABBA have j = 1, AABB has j = 2: 4 + 4 + 6 = 14, and as many where
// the second thread is first: 28.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

std::atomic<int> started{0};
std::mutex mutex;
int counter = 0;

void count() {
  started.fetch_add(1);
  for (int i = 0; i < 2; ++i) {
    std::lock_guard guard(mutex);
    ++counter;
  }
}

int main() {
#ifdef BARE
  for (long round = 0; round < BARE; ++round) {
    counter = 0;
    count();
    count();
  }
#else
  std::thread first(count);
  std::thread second(count);
  first.join();
  second.join();
#endif
  assert(counter == 4);
}
