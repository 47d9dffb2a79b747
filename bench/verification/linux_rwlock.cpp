// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// classes: 582
// larger W2 R2 (-DREADERS=2): not counted
//
// The read-write lock of Linux on x86 before its queue: a counter from which a reader takes 1 and a writer
// all. Two writers and a reader.
#include <atomic>

#include "run.hpp"

#ifndef WRITERS
#define WRITERS 2
#endif
#ifndef READERS
#define READERS 1
#endif
constexpr int kAll = 0x100000;

struct State {
  std::atomic<int> left{kAll};
  int writers = 0;
  int data = 0;

  void lock(int share) {
    while (left.fetch_sub(share) < share) {
      left.fetch_add(share);
      while (left < share) {
      }
    }
  }
  void unlock(int share) { left.fetch_add(share); }
};

int main() {
  return run_threads<State>(WRITERS + READERS, [](State& state, int thread) {
    if (thread < WRITERS) {
      state.lock(kAll);
      ++state.data;
      assert(++state.writers == 1);
      --state.writers;
      state.unlock(kAll);
    } else {
      state.lock(1);
      assert(state.data <= WRITERS && state.writers == 0);
      state.unlock(1);
    }
  });
}
