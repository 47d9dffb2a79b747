// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: assertion
// quick: --strategy icb --executions 100
//
// A sequence lock: the writer makes the sequence odd while it writes; a reader reads again where the sequence
// was odd or has changed.
//
// The bug: the reader looks at the sequence a second time before it has read everything.
#include <atomic>
#include <cassert>
#include <utility>

#include "threads.hpp"

class Position {
 public:
  void move_to(int x, int y) {
    sequence_.fetch_add(1);
    x_.store(x);
    y_.store(y);
    sequence_.fetch_add(1);
  }

  std::pair<int, int> read() const {
    while (true) {
      const unsigned before = sequence_.load();
      if (before % 2 == 1) continue;
      const int x = x_.load();
#ifdef FIXED
      const int y = y_.load();
      if (sequence_.load() == before) return {x, y};
#else
      if (sequence_.load() == before) return {x, y_.load()};
#endif
    }
  }

 private:
  std::atomic<unsigned> sequence_{0};
  std::atomic<int> x_{0};
  std::atomic<int> y_{0};
};

Position position;

int main() {
  run_together([] { position.move_to(1, 1); },
               [] {
                 const auto [x, y] = position.read();
                 assert(x == y);
               });
}
