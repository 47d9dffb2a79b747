// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 2
// compilers: same
//
// test_and_set is won by one thread only. One operation each: 2.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic_flag flag = ATOMIC_FLAG_INIT;

int main() {
  bool lost[2];
  std::thread first([&] { lost[0] = flag.test_and_set(); });
  std::thread second([&] { lost[1] = flag.test_and_set(); });
  first.join();
  second.join();
  assert(lost[0] != lost[1]);
}
