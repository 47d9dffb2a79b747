// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=1
//
// Two producers find the same free place of a ring buffer: the index is read and advanced in two steps.
#include <array>
#include <atomic>
#include <cassert>
#include <thread>

std::array<std::atomic<int>, 4> ring{};
std::atomic<std::size_t> end{0};

void push(int item) {
  const std::size_t place = end.load();
  end.store(place + 1);
  ring[place].store(item);
}

int main() {
  std::thread first(push, 1);
  std::thread second(push, 2);
  first.join();
  second.join();
  assert(ring[0] + ring[1] == 3);
}
