// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// classes: 1522 + 670 in vain
//
// Szymanski's mutual exclusion between two threads, twice each: those that want to enter gather in a
// waiting room, whose door is closed behind the last of them, and go in by number.
#include <array>
#include <atomic>

#include "run.hpp"

constexpr std::size_t kThreads = 2;

struct State {
  // 0 outside, 1 wants to enter, 2 waits for others, 3 at the door, 4 in or about to be.
  std::array<std::atomic<int>, kThreads> flags{};
  int inside = 0;

  template <class Condition>
  bool all(std::size_t from, std::size_t to, Condition holds) {
    for (std::size_t i = from; i < to; ++i) {
      if (!holds(flags[i].load())) return false;
    }
    return true;
  }

  void lock(std::size_t me) {
    flags[me] = 1;
    while (!all(0, kThreads, [](int flag) { return flag < 3; })) {
    }
    flags[me] = 3;
    if (!all(0, kThreads, [](int flag) { return flag != 1; })) {
      flags[me] = 2;
      while (all(0, kThreads, [](int flag) { return flag != 4; })) {
      }
    }
    flags[me] = 4;
    while (!all(0, me, [](int flag) { return flag < 2; })) {
    }
  }
  void unlock(std::size_t me) {
    while (!all(me + 1, kThreads, [](int flag) { return flag < 2 || flag > 3; })) {
    }
    flags[me] = 0;
  }
};

int main() {
  return run_threads<State>(kThreads, [](State& state, int thread) {
    const auto me = static_cast<std::size_t>(thread);
    for (int round = 0; round < 2; ++round) {
      state.lock(me);
      assert(++state.inside == 1);
      --state.inside;
      state.unlock(me);
    }
  });
}
