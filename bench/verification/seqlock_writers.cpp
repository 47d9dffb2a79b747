// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// classes: 4 + 12 in vain
// peers R1 W1 (-DREADERS=1): 2 + 2 in vain
// peers R1 W2 (-DREADERS=1 -DWRITERS=2): 6 + 10 in vain
// peers R2 W2 (-DWRITERS=2): 18 + 110 in vain
//
// A sequence lock whose writers exclude each other by a mutex. A reader begins again where a writer was at
// work. Once each.
#include <atomic>
#include <mutex>

#include "run.hpp"

#ifndef READERS
#define READERS 2
#endif
#ifndef WRITERS
#define WRITERS 1
#endif
constexpr int kWritten = 42;

struct State {
  std::mutex mutex;
  std::atomic<unsigned> sequence{0};
  std::atomic<int> data{0};

  void write() {
    std::lock_guard guard(mutex);
    sequence = sequence + 1;
    data = kWritten;
    sequence = sequence + 1;
  }

  void read() {
    while (true) {
      const unsigned before = sequence;
      if (before % 2 != 0) continue;
      const int found = data;
      if (sequence != before) continue;
      assert(found == (before == 0 ? 0 : kWritten));
      return;
    }
  }
};

int main() {
  return run_threads<State>(WRITERS + READERS, [](State& state, int thread) {
    if (thread < WRITERS) {
      state.write();
    } else {
      state.read();
    }
  });
}
