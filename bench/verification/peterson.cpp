// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// classes: 588 + 588 in vain
//
// Peterson's mutual exclusion, each thread three times: each says that it wants to enter and lets the other
// go first.
#include <array>
#include <atomic>

#include "run.hpp"

struct State {
  std::array<std::atomic<bool>, 2> wants{};
  std::atomic<std::size_t> turn{0};
  int inside = 0;
};

int main() {
  return run_threads<State>(2, [](State& state, int thread) {
    const auto me = static_cast<std::size_t>(thread);
    const std::size_t other = 1 - me;
    for (int round = 0; round < 3; ++round) {
      state.wants[me] = true;
      state.turn = other;
      while (state.wants[other] && state.turn == other) {
      }
      assert(++state.inside == 1);
      --state.inside;
      state.wants[me] = false;
    }
  });
}
