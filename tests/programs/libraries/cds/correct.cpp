// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --bound preemptions=2
//
// Drives Vyukov's bounded queue as Debian's libcds-dev has it. Waiting is left out of it (back_off), since
// each of its pauses is a thousand instructions of nothing.
#include <cds/container/vyukov_mpmc_cycle_queue.h>

#include <array>
#include <cassert>
#include <thread>

struct Traits : cds::container::vyukov_queue::traits {
  using back_off = cds::backoff::empty;
};
cds::container::VyukovMPMCCycleQueue<int, Traits> queue(2);
std::array<int, 3> taken{};

bool take() {
  int item = 0;
  if (!queue.dequeue(item)) return false;
  assert((item == 1 || item == 2) && "an item that nobody put in");
  ++taken[static_cast<std::size_t>(item)];
  return true;
}

void put(int item) {
  const bool done = queue.enqueue(item);
  assert(done && "there is room for both");
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
