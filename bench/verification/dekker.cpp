// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// classes: 1344 + 2122 in vain
//
// Dekker's mutual exclusion, each thread three times: the one whose turn it is not withdraws while it waits.
#include <array>
#include <atomic>

#include "run.hpp"

struct State {
  std::array<std::atomic<bool>, 2> wants{};
  std::atomic<std::size_t> turn{0};
  int inside = 0;

  void lock(std::size_t me) {
    const std::size_t other = 1 - me;
    wants[me] = true;
    while (wants[other]) {
      if (turn == me) continue;
      wants[me] = false;
      while (turn == other) {
      }
      wants[me] = true;
    }
  }
  void unlock(std::size_t me) {
    turn = 1 - me;
    wants[me] = false;
  }
};

int main() {
  return run_threads<State>(2, [](State& state, int thread) {
    const auto me = static_cast<std::size_t>(thread);
    for (int round = 0; round < 3; ++round) {
      state.lock(me);
      assert(++state.inside == 1);
      --state.inside;
      state.unlock(me);
    }
  });
}
