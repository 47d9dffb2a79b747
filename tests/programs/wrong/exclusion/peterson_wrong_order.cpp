// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=2
//
// Peterson's mutual exclusion with its first two steps in the wrong order: turn before wants. The
// one that said "after you" first is interrupted before it says that it wants to enter; the other
// one is interrupted inside.
#include <array>
#include <atomic>
#include <cassert>
#include <thread>

std::array<std::atomic<bool>, 2> wants{};
std::atomic<std::size_t> turn{0};
std::atomic<int> inside{0};

void enter(std::size_t me) {
  const std::size_t other = 1 - me;
  turn = other;
  wants[me] = true;
  while (wants[other] && turn == other) {
  }
  assert(++inside == 1);
  --inside;
  wants[me] = false;
}

int main() {
  std::thread first(enter, 0);
  std::thread second(enter, 1);
  first.join();
  second.join();
}
