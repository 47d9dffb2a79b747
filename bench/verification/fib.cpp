// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// classes: 218243
// larger 6 (-DSIZE=6): 2364418
//
// Two threads add each one's number to the other's, five times. A third reads both once, at any time.
#include <atomic>

#include "run.hpp"

#ifndef SIZE
#define SIZE 5
#endif

struct State {
  std::atomic<int> i{1};
  std::atomic<int> j{1};
};

int main() {
  constexpr int kRounds = SIZE;
  return run_threads<State>(3, [](State& state, int thread) {
    if (thread == 2) {
      (void)state.i.load();
      (void)state.j.load();
      return;
    }
    std::atomic<int>& mine = thread == 0 ? state.i : state.j;
    std::atomic<int>& other = thread == 0 ? state.j : state.i;
    for (int round = 0; round < kRounds; ++round) {
      const int a = mine;
      const int b = other;
      mine = a + b;
    }
  });
}
