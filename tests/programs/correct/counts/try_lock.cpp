// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 3
// compilers: same
//
// One thread locks and unlocks, the other tries once and unlocks where it got the lock. The try
// comes before the lock (which then waits for the unlock), inside the section (it fails) or after
// it: 3.
#include <mutex>
#include <thread>

std::mutex mutex;

int main() {
  std::thread locker([] { std::lock_guard guard(mutex); });
  std::thread trier([] {
    if (mutex.try_lock()) mutex.unlock();
  });
  locker.join();
  trier.join();
}
