// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// classes: 15360
// larger 16 (-DSIZE=16): 311296
//
// One thread looks for the last zero of an array, from its end on, while twelve others each write a place: (N
// + 3) 2^(N - 2) classes.
#include <array>
#include <atomic>

#include "run.hpp"

#ifndef SIZE
#define SIZE 12
#endif
constexpr int kLast = SIZE;

struct State {
  std::array<std::atomic<int>, kLast + 1> array{};
};

int main() {
  return run_threads<State>(kLast + 1, [](State& state, int thread) {
    const auto place = static_cast<std::size_t>(thread);
    if (thread == 0) {
      std::size_t at = kLast;
      while (state.array[at] != 0) --at;
    } else {
      state.array[place] = state.array[place - 1] + 1;
    }
  });
}
