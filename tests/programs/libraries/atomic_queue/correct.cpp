// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --bound preemptions=2
//
// A driver over a queue that others wrote (Debian's libatomic-queue-dev), used as it is: two
// producers and a consumer who takes an item if he finds one. What he leaves is taken at the end.
#include <atomic_queue/atomic_queue.h>

#include <array>
#include <cassert>
#include <thread>

constexpr unsigned kNothing = 0;

atomic_queue::AtomicQueue<unsigned, 4, kNothing> queue;
std::array<int, 3> taken{};

bool take() {
  unsigned item = kNothing;
  if (!queue.try_pop(item)) return false;
  assert(item != kNothing && "an item that nobody pushed");
  ++taken[item];
  return true;
}

void put(unsigned item) {
  const bool pushed = queue.try_push(item);
  assert(pushed && "the queue has room for all items");
}

int main() {
  std::thread first(put, 1);
  std::thread second(put, 2);
  std::thread consumer(take);
  first.join();
  second.join();
  consumer.join();
  while (take()) {
  }
  assert(taken[1] == 1 && taken[2] == 1 && "each item is taken exactly once");
}
