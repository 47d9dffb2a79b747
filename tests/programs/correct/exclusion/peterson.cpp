// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// Peterson's mutual exclusion: each says that it wants to enter and lets the other go first.
#include <array>
#include <atomic>
#include <cassert>
#include <thread>

std::array<std::atomic<bool>, 2> wants{};
std::atomic<std::size_t> turn{0};
std::atomic<int> inside{0};

void enter(std::size_t me) {
  const std::size_t other = 1 - me;
  wants[me] = true;
  turn = other;
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
