// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A spin lock that tests before it tests and sets, between three threads, twice each.
#include <atomic>

#include "run.hpp"

struct State {
  std::atomic<bool> held{false};
  int inside = 0;
};

int main() {
  return run_threads<State>(3, [](State& state, int) {
    for (int round = 0; round < 2; ++round) {
      while (state.held.exchange(true)) {
        while (state.held) {
        }
      }
      assert(++state.inside == 1);
      --state.inside;
      state.held = false;
    }
  });
}
