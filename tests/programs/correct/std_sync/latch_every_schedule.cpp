// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// compilers: both
//
// A waiting thread looks at the latch once before it sleeps (include/thrum/detail/wrapped/bits/atomic_wait.h). With
// libstdc++'s own 16 looks not even two preemptions are done within the time.
#include <latch>
#include <thread>

int main() {
  std::latch latch(2);
  std::thread first([&] { latch.count_down(); });
  std::thread second([&] { latch.arrive_and_wait(); });
  latch.wait();
  first.join();
  second.join();
}
