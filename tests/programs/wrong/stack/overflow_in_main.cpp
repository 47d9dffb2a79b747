// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug stack-overflow preemptions=0
//
// Recursion without an end in main, after a thread was started.
#include <thread>

int recurse(int depth) {
  volatile char frame[512];
  frame[0] = static_cast<char>(depth);
  if (depth == -1) return 0;
  return recurse(depth + 1) + frame[0];
}

int main() {
  std::thread other([] {});
  other.join();
  return recurse(0);
}
