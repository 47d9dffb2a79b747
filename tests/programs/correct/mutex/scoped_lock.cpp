// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --bound preemptions=3
//
// std::scoped_lock takes two mutexes in any order without deadlock.
// Only within a bound: each thread may find the other's mutex locked any number of times in turn.
#include <cassert>
#include <mutex>
#include <thread>

std::mutex a;
std::mutex b;
int counter = 0;

int main() {
  std::thread first([] {
    std::scoped_lock guard(a, b);
    ++counter;
  });
  std::thread second([] {
    std::scoped_lock guard(b, a);
    ++counter;
  });
  first.join();
  second.join();
  assert(counter == 2);
}
