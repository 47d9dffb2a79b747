// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug data-race
// flags: -O2
//
// main's failed rounds read a variable on its own stack. In few schedules the worker writes it.
#include <atomic>
#include <thread>

int main() {
  int value = 0;
  std::atomic<bool> done{false};
  std::atomic<bool> writes{false};
  std::thread worker([&] {
    if (writes) value = 1;  // reported
    done = true;
  });
  std::thread other([&] { writes = true; });
  int sum = 0;
  while (!done) sum += value;  // reported
  worker.join();
  other.join();
  return sum > 1000;
}
