// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// thread_local objects are made at their first use in a thread, keep their values while others run,
// and are destroyed at the thread's end, before its join returns.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> made{0};
std::atomic<int> destroyed{0};

struct Counter {
  Counter() { ++made; }
  ~Counter() { destroyed += value; }
  int value = 0;
};

thread_local Counter counter;
thread_local int plain = 5;

void work(int n) {
  counter.value += n;
  assert(counter.value == n);
  assert(plain == 5);
  plain = n;
}

int main() {
  std::thread first(work, 1);
  std::thread second(work, 2);
  first.join();
  second.join();
  assert(made == 2);
  assert(destroyed == 3);
  assert(plain == 5);
}
