// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// classes: 90
// peers 3 (-DTHREADS=3 -DROUNDS=1): 6
// peers 4 (-DTHREADS=4 -DROUNDS=1): 24
//
// A ticket lock between three threads, twice each.
#include <atomic>

#include "run.hpp"

#ifndef THREADS
#define THREADS 3
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

struct State {
  std::atomic<unsigned> next{0};
  std::atomic<unsigned> serving{0};
  int inside = 0;
};

int main() {
  return run_threads<State>(THREADS, [](State& state, int) {
    for (int round = 0; round < ROUNDS; ++round) {
      const unsigned mine = state.next.fetch_add(1);
      while (state.serving != mine) {
      }
      assert(++state.inside == 1);
      --state.inside;
      state.serving = mine + 1;
    }
  });
}
