// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug data-race
// compilers: both
//
// The first destructor that the program registers is libstdc++'s own; those that come later run all the same.
#include <condition_variable>
#include <cstdlib>
#include <thread>

static std::condition_variable changed;

struct Counter {
  int value = 0;
  // Reported: a detached thread may still count.
  ~Counter() {
    if (value > 1) std::abort();
  }
};
static Counter counter;

int main() {
  std::thread([] { ++counter.value; }).detach();
  return 0;
}
