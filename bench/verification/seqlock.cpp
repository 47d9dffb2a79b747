// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// classes: 9 + 216 in vain
//
// A sequence lock: a writer changes two words together, twice, and two readers read them, and begin again
// where the writer was at work.
#include <atomic>

#include "run.hpp"

struct State {
  std::atomic<unsigned> sequence{0};
  std::atomic<int> first{0};
  std::atomic<int> second{0};
};

int main() {
  return run_threads<State>(3, [](State& state, int thread) {
    if (thread == 0) {
      for (int round = 1; round <= 2; ++round) {
        state.sequence.fetch_add(1);
        state.first = round;
        state.second = round;
        state.sequence.fetch_add(1);
      }
      return;
    }
    while (true) {
      const unsigned before = state.sequence;
      if (before % 2 != 0) continue;
      const int first = state.first;
      const int second = state.second;
      if (state.sequence != before) continue;
      assert(first == second);
      return;
    }
  });
}
