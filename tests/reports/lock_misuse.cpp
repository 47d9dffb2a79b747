// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must not be interrupted waits for a lock.
#include <thrum/thrum.h>

#include <mutex>
#include <thread>

std::mutex mutex;
int value;

int main() {
  std::thread other([] {
    std::lock_guard lock(mutex);
    ++value;
  });
  thrum_atomic_begin();
  mutex.lock();
  value = 7;
  mutex.unlock();
  thrum_atomic_end();
  other.join();
}
