// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --bound preemptions=2
//
// Drives a queue that others wrote (Debian's libconcurrentqueue-dev), used as it is: two producers, one of
// whose items a consumer takes if he finds it, and so does main. What is left is taken at the end.
#include <concurrentqueue/concurrentqueue.h>

#include <array>
#include <cassert>
#include <thread>

moodycamel::ConcurrentQueue<int> queue(64);
std::array<int, 3> taken_by_main{};
std::array<int, 3> taken_by_consumer{};

bool take(std::array<int, 3>& taken) {
  int item = 0;
  if (!queue.try_dequeue(item)) return false;
  assert((item == 1 || item == 2) && "an item that nobody put in");
  ++taken[static_cast<std::size_t>(item)];
  return true;
}

void put(int item) {
  const bool done = queue.enqueue(item);
  assert(done && "memory does not run out");
}

int main() {
  std::thread first(put, 1);
  std::thread second(put, 2);
  std::thread consumer([] { take(taken_by_consumer); });
  take(taken_by_main);
  first.join();
  second.join();
  consumer.join();
  while (take(taken_by_main)) {
  }
  for (std::size_t item : {1u, 2u})
    assert(taken_by_main[item] + taken_by_consumer[item] == 1 && "each item is taken exactly once");
}
