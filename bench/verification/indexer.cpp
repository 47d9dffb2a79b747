// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// classes: 4096
//
// Fifteen threads put four words each into a hash table of 128 cells with a mutex each, after Flanagan and
// Godefroid. Few cells are met by two of them.
#include <array>
#include <mutex>

#include "run.hpp"

constexpr std::size_t kCells = 128;

struct State {
  std::array<int, kCells> table{};
  std::array<std::mutex, kCells> mutexes;

  bool put(std::size_t cell, int word) {
    std::lock_guard guard(mutexes[cell]);
    const bool is_free = table[cell] == 0;
    if (is_free) table[cell] = word;
    return is_free;
  }
};

int main() {
  constexpr int kThreads = 15;
  constexpr int kWords = 4;
  return run_threads<State>(kThreads, [](State& state, int thread) {
    for (int m = 1; m <= kWords; ++m) {
      const int word = 11 * m + thread;
      auto cell = static_cast<std::size_t>(7 * word) % kCells;
      while (!state.put(cell, word)) cell = (cell + 1) % kCells;
    }
  });
}
