// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function unlocks before it says that there is nothing to do, and its caller unlocks again.
#include <mutex>
#include <thread>

std::mutex mutex;
int tasks = 1;

bool take() {
  mutex.lock();
  if (tasks == 0) {
    mutex.unlock();
    return false;
  }
  --tasks;
  mutex.unlock();
  return true;
}

int main() {
  std::thread other([] {
    if (!take()) mutex.unlock();
  });
  take();
  other.join();
}
