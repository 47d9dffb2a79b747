// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// classes: 42 + 28 in vain
// peers B2 (-DBOTH=2): 10704 + 13840 in vain
//
// Treiber's stack, whose top counts its changes, so that a node may be pushed again: BOTH
// and pop one, one only pushes, one only pops.
#include <array>
#include <atomic>

#include "run.hpp"

#ifndef BOTH
#define BOTH 1
#endif
#ifndef PUSH
#define PUSH 1
#endif
#ifndef POP
#define POP 1
#endif
constexpr unsigned kNodes = BOTH + PUSH;
constexpr unsigned kChange = 8;  // the top's lower bits are a node, from 1; 0: there is none
static_assert(kNodes < kChange);

struct State {
  std::atomic<unsigned> top{0};
  std::array<std::atomic<unsigned>, kChange> below{};
  std::array<unsigned, kChange> pushed{};  // by node

  void push(unsigned node) {
    pushed[node] = node;
    while (true) {
      unsigned seen = top;
      below[node] = seen;
      if (top.compare_exchange_strong(seen, (seen / kChange + 1) * kChange + node)) return;
    }
  }

  void pop() {
    while (true) {
      unsigned seen = top;
      const unsigned node = seen % kChange;
      if (node == 0) return;
      const unsigned next = below[node] % kChange;
      if (!top.compare_exchange_strong(seen, (seen / kChange + 1) * kChange + next)) continue;
      assert(pushed[node] == node);
      return;
    }
  }
};

int main() {
  return run_threads<State>(BOTH + PUSH + POP, [](State& state, int thread) {
    if (thread < BOTH + PUSH) state.push(static_cast<unsigned>(thread) + 1);
    if (thread < BOTH || thread >= BOTH + PUSH) state.pop();
  });
}
