// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug crash preemptions=1
//
// A pointer that is checked and then read again, and is null the second time.
#include <atomic>
#include <thread>

int value = 1;
std::atomic<int*> pointer{&value};

int main() {
  std::thread reader([] {
    if (pointer.load() != nullptr) *pointer.load() = 2;
  });
  std::thread eraser([] { pointer.store(nullptr); });
  reader.join();
  eraser.join();
}
