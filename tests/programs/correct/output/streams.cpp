// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// Both threads write to std::cout, which is not flushed before the end.
#include <atomic>
#include <iostream>
#include <mutex>
#include <thread>

std::mutex mutex;
std::atomic<int> x{0};

void print(int number) {
  x.fetch_add(1);
  std::lock_guard guard(mutex);
  std::cout << "thread " << number << " after " << x.load() << '\n';
}

int main() {
  std::thread first(print, 1);
  std::thread second(print, 2);
  first.join();
  second.join();
  std::cout << "done\n";
}
