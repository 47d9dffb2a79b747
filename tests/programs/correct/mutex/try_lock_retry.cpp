// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A lock taken by try_lock in a loop that yields: mutual exclusion all the same.
#include <cassert>
#include <mutex>
#include <thread>

std::mutex mutex;
int inside = 0;

void enter() {
  while (!mutex.try_lock()) std::this_thread::yield();
  ++inside;
  assert(inside == 1);
  --inside;
  mutex.unlock();
}

int main() {
  std::thread first(enter);
  std::thread second(enter);
  first.join();
  second.join();
}
