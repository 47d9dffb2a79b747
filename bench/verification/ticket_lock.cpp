// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A ticket lock between three threads, twice each.
#include <atomic>

#include "run.hpp"

struct State {
  std::atomic<unsigned> next{0};
  std::atomic<unsigned> serving{0};
  int inside = 0;
};

int main() {
  return run_threads<State>(3, [](State& state, int) {
    for (int round = 0; round < 2; ++round) {
      const unsigned mine = state.next.fetch_add(1);
      while (state.serving != mine) {
      }
      assert(++state.inside == 1);
      --state.inside;
      state.serving = mine + 1;
    }
  });
}
