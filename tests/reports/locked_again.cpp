// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where there is nothing to take, the function calls another that locks the mutex which it holds.
#include <mutex>
#include <thread>

std::mutex mutex;
int tasks = 1;

void add() {
  std::lock_guard lock(mutex);
  ++tasks;
}

void take() {
  std::lock_guard lock(mutex);
  if (tasks == 0) add();
  --tasks;
}

int main() {
  std::thread other(take);
  take();
  other.join();
}
