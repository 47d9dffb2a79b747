// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// classes: 7134
// peers 3 (-DTHREADS=3 -DROUNDS=1): 36
// peers 4 (-DTHREADS=4 -DROUNDS=1): 576
// peers 5 (-DTHREADS=5 -DROUNDS=1): 14400
//
// A spin lock that tests before it tests and sets, between three threads, twice each.
#include <atomic>

#include "run.hpp"

#ifndef THREADS
#define THREADS 3
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

struct State {
  std::atomic<bool> held{false};
  int inside = 0;

  void lock() {
    do {
      while (held) {
      }
    } while (held.exchange(true));
  }
  void unlock() { held = false; }
};

int main() {
  return run_threads<State>(THREADS, [](State& state, int) {
    for (int round = 0; round < ROUNDS; ++round) {
      state.lock();
      assert(++state.inside == 1);
      --state.inside;
      state.unlock();
    }
  });
}
