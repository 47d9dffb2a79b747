// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// The try-locks of std::shared_mutex: a reader's fails exactly while a writer holds the lock.
#include <cassert>
#include <shared_mutex>
#include <thread>

std::shared_mutex mutex;
int writing = 0;

int main() {
  std::thread writer([] {
    if (!mutex.try_lock()) return;
    ++writing;
    --writing;
    mutex.unlock();
  });
  std::thread reader([] {
    if (!mutex.try_lock_shared()) return;
    assert(writing == 0);
    mutex.unlock_shared();
  });
  writer.join();
  reader.join();
}
