// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// Two threads print a megabyte each, in every execution.
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>

std::atomic<int> x{0};

void print(char letter) {
  const std::string line(1023, letter);
  for (int i = 0; i < 1024; ++i) std::puts(line.c_str());
  x.fetch_add(1);
}

int main() {
  std::thread first(print, 'a');
  std::thread second(print, 'b');
  first.join();
  second.join();
}
