// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// classes: 6
// peers 4 (-DTHREADS=4): 24
//
// A spin lock that only tests and sets, between THREADS threads, once each.
#include <atomic>

#include "run.hpp"

#ifndef THREADS
#define THREADS 3
#endif

struct State {
  std::atomic<bool> held{false};
  int inside = 0;
};

int main() {
  return run_threads<State>(THREADS, [](State& state, int) {
    while (state.held.exchange(true)) {
    }
    assert(++state.inside == 1);
    --state.inside;
    state.held = false;
  });
}
