// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug stack-overflow preemptions=0
//
// Recursion without an end, in a thread, where the flag was not set in time.
#include <atomic>
#include <thread>

std::atomic<bool> stop{false};

int recurse(int depth) {
  volatile char frame[512];
  frame[0] = static_cast<char>(depth);
  if (depth == -1) return 0;
  return recurse(depth + 1) + frame[0];
}

int main() {
  std::thread recurser([] {
    if (!stop) recurse(0);
  });
  std::thread stopper([] { stop = true; });
  recurser.join();
  stopper.join();
}
