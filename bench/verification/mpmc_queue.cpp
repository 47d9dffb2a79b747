// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// classes: 3 + 2 in vain
// peers P2 C1 (-DPRODUCERS=2): 22 + 33 in vain
// peers P1 C2 (-DCONSUMERS=2): 16 + 21 in vain
// peers P2 C2 (-DPRODUCERS=2 -DCONSUMERS=2): 284 + 554 in vain
//
// A bounded queue for many producers and consumers that has both of its ends in one word. Whoever has moved an
// end waits until all who moved the other one before are done. It holds one item at the start. Each producer
// puts one in, each consumer takes items until there is none.
#include <array>
#include <atomic>

#include "run.hpp"

#ifndef PRODUCERS
#define PRODUCERS 1
#endif
#ifndef CONSUMERS
#define CONSUMERS 1
#endif
constexpr unsigned kCells = 4;
constexpr unsigned kReadOne = 0x10000;  // the upper half counts what is read, the lower half what is written

struct State {
  std::atomic<unsigned> ends{1};
  std::atomic<unsigned> read{0};
  std::atomic<unsigned> written{1};
  std::array<unsigned, kCells> cells{1};  // numbers, from 1

  void produce() {
    unsigned seen = ends;
    do {
      if (seen % kReadOne == seen / kReadOne + kCells) return;  // it is full
    } while (!ends.compare_exchange_strong(seen, seen + 1));
    while (read != seen / kReadOne) {
    }
    const unsigned place = seen % kReadOne;
    cells[place % kCells] = place + 1;
    written.fetch_add(1);
  }

  bool consume() {
    unsigned seen = ends;
    do {
      if (seen % kReadOne == seen / kReadOne) return false;  // it is empty
    } while (!ends.compare_exchange_strong(seen, seen + kReadOne));
    while (written != seen % kReadOne) {
    }
    const unsigned place = seen / kReadOne;
    assert(cells[place % kCells] == place + 1);
    read.fetch_add(1);
    return true;
  }
};

int main() {
  return run_threads<State>(PRODUCERS + CONSUMERS, [](State& state, int thread) {
    if (thread < PRODUCERS) {
      state.produce();
    } else {
      while (state.consume()) {
      }
    }
  });
}
