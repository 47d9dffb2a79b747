// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 8
// compilers: same
//
// Each of two threads does one operation and then has a lock section. If the first thread's section
// comes first, the second thread's operation stands anywhere before its own lock: in 4 places among
// the first thread's operation, lock and unlock. The same the other way round: 2 * 4 = 8.
#include <atomic>
#include <mutex>
#include <thread>

std::atomic<int> x;
std::mutex mutex;
int counter = 0;

int main() {
  const auto count = [] {
    x.fetch_add(1);
    std::lock_guard guard(mutex);
    ++counter;
  };
  std::thread first(count);
  std::thread second(count);
  first.join();
  second.join();
}
