// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// Dekker's mutual exclusion: the one whose turn it is not withdraws while it waits.
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
  while (wants[other]) {
    if (turn == other) {
      wants[me] = false;
      while (turn == other) {
      }
      wants[me] = true;
    }
  }
  assert(++inside == 1);
  --inside;
  turn = other;
  wants[me] = false;
}

int main() {
  std::thread first(enter, 0);
  std::thread second(enter, 1);
  first.join();
  second.join();
}
