// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// classes: 65536
// larger 18 (-DSIZE=18): 262144
//
// One thread writes a variable, sixteen read it once each: 2^16 classes, by who reads before the write.
#include <atomic>

#include "run.hpp"

#ifndef SIZE
#define SIZE 16
#endif

struct State {
  std::atomic<int> x{0};
};

int main() {
  constexpr int kReaders = SIZE;
  return run_threads<State>(kReaders + 1, [](State& state, int thread) {
    if (thread == 0) {
      state.x = 1;
    } else {
      (void)state.x.load();
    }
  });
}
