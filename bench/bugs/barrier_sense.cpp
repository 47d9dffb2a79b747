// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: livelock
// quick: --strategy icb --executions 1000
//
// A sense-reversing barrier: the last thread to arrive reverses the sense that the others spin on, and sets
// the count up for the next phase.
//
// The bug: it reverses the sense first. A thread that was let go and arrives at the next phase before the
// count is set up is not counted, and all wait for ever.
#include <array>
#include <atomic>
#include <cassert>

#include "threads.hpp"

class Barrier {
 public:
  explicit Barrier(int participants) : participants_(participants), missing_(participants) {}

  void arrive_and_wait() {
    const bool sense = sense_.load();
    if (missing_.fetch_sub(1) == 1) {
#ifdef FIXED
      missing_.store(participants_);
      sense_.store(!sense);
#else
      sense_.store(!sense);
      missing_.store(participants_);
#endif
      return;
    }
    while (sense_.load() == sense) std::this_thread::yield();
  }

 private:
  const int participants_;
  std::atomic<int> missing_;
  std::atomic<bool> sense_{false};
};

constexpr int kThreads = 2;
constexpr int kPhases = 4;

Barrier barrier(kThreads);
std::array<std::atomic<int>, kThreads> phase_of;

void work(int self) {
  for (int phase = 1; phase <= kPhases; ++phase) {
    phase_of[static_cast<std::size_t>(self)].store(phase);
    barrier.arrive_and_wait();
    for (const auto& other : phase_of) assert(other.load() >= phase);
  }
}

int main() {
  run_together([] { work(0); }, [] { work(1); });
}
