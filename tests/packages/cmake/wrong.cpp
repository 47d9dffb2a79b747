// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two threads count without excluding each other.
#include <atomic>
#include <cassert>
#include <thread>

int main() {
  std::atomic<int> counter{0};
  auto increment = [&] { counter = counter + 1; };
  std::thread other(increment);
  other.join();
  std::jthread third(increment);
  increment();
  third.join();
  assert(counter == 3);
}
