// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each thread takes the next free slot; that there may be none left is not looked at.
#include <atomic>
#include <thread>

int* slots = new int[2];
std::atomic<int> next = 0;

void fill() {
  for (int i = 0; i < 2 && next.load() < 2; ++i) slots[next.fetch_add(1)] = 1;
}

int main() {
  std::thread first(fill);
  std::thread second(fill);
  first.join();
  second.join();
  delete[] slots;
}
