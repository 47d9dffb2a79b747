// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=3
// compilers: same
//
// Five steps, three of one thread and two of the other, that fail unless the threads take turns:
// five runs of one thread each, of which the first three end by a preemption.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> stage{0};

void advance(int from, int steps) {
  for (int i = 0; i < steps; ++i) {
    int expected = from + 2 * i;
    stage.compare_exchange_strong(expected, expected + 1);
  }
}

int main() {
  std::thread even(advance, 0, 3);
  std::thread odd(advance, 1, 2);
  even.join();
  odd.join();
  assert(stage != 5);
}
