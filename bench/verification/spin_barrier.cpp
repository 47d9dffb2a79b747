// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// classes: 24
// peers 6 (-DTHREADS=6): 720
//
// A barrier that threads pass once: the last one to come advances the step that the others wait for.
#include <array>
#include <atomic>

#include "run.hpp"

#ifndef THREADS
#define THREADS 4
#endif

struct State {
  std::atomic<int> came{0};
  std::atomic<int> step{0};
  std::array<int, THREADS> done{};  // before the barrier

  void wait() {
    const int now = step;
    if (came.fetch_add(1) == THREADS - 1) {
      came = 0;
      step.fetch_add(1);
    } else {
      while (!kIsBare && step == now) {
      }
    }
  }
};

int main() {
  return run_threads<State>(THREADS, [](State& state, int thread) {
    state.done[static_cast<std::size_t>(thread)] = 1;
    state.wait();
    for (const int done : state.done) assert(kIsBare || done == 1);
  });
}
