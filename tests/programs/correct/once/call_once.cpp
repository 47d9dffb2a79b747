// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// std::call_once with an argument, on the same flag from two places.
#include <cassert>
#include <mutex>
#include <thread>

std::once_flag flag;
int value = 0;

void set_once(int candidate) {
  std::call_once(
      flag, [](int v) { value = v; }, candidate);
  assert(value != 0);
}

int main() {
  std::thread first(set_once, 1);
  std::thread second(set_once, 2);
  first.join();
  second.join();
  assert(value == 1 || value == 2);
}
