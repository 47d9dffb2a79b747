// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 20
// compilers: same
//
// Two threads with three lock sections each, on one mutex. A section cannot be interrupted by the
// other thread, which is blocked until the unlock, so the sections interleave as wholes: C(6,3) =
// 20.
#include <cassert>
#include <mutex>
#include <thread>

std::mutex mutex;
int counter = 0;

int main() {
  const auto count = [] {
    for (int i = 0; i < 3; ++i) {
      std::lock_guard guard(mutex);
      ++counter;
    }
  };
  std::thread first(count);
  std::thread second(count);
  first.join();
  second.join();
  assert(counter == 6);
}
