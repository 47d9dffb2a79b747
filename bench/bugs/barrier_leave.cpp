// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: assertion
// quick: --strategy icb --executions 1000
//
// A barrier that participants may leave, with an action at the end of each phase. Whoever makes the number of
// those who arrived the number of those who take part ends the phase.
//
// The bug: the two numbers are two words. One who arrives and one who leaves at the same time may both find
// them equal, and the action runs twice.
#include <atomic>
#include <cassert>

#include "threads.hpp"

class Barrier {
 public:
  explicit Barrier(int participants) : participants_(participants) {}

  void arrive_and_wait() {
    const int phase = phase_.load();
    if (arrive()) return end_phase(phase);
    while (phase_.load() == phase) {
    }
  }

  // In place of arriving.
  void leave() {
    const int phase = phase_.load();
    if (give_up()) end_phase(phase);
  }

  int actions() const { return actions_.load(); }

 private:
#ifdef FIXED
  // The participants, and those who arrived in units of kOneArrived, are one word.
  static constexpr int kOneArrived = 1 << 16;
  static bool all_are_there(int state) { return state / kOneArrived == state % kOneArrived; }
  bool arrive() { return all_are_there(participants_.fetch_add(kOneArrived) + kOneArrived); }
  bool give_up() { return all_are_there(participants_.fetch_sub(1) - 1); }
  void none_are_there() { participants_.fetch_and(kOneArrived - 1); }
#else
  bool arrive() { return arrived_.fetch_add(1) + 1 == participants_.load(); }
  bool give_up() { return participants_.fetch_sub(1) - 1 == arrived_.load(); }
  void none_are_there() { arrived_.store(0); }
#endif

  // All others wait.
  void end_phase(int phase) {
    const int actions_before = actions_.fetch_add(1);
    assert(actions_before == phase);
    none_are_there();
    phase_.store(phase + 1);
  }

  std::atomic<int> participants_;
  std::atomic<int> arrived_{0};
  std::atomic<int> phase_{0};
  std::atomic<int> actions_{0};
};

constexpr int kPhasesOfTwo = 2;
constexpr int kPhasesOfThree = 3;

Barrier barrier(3);

void stay() {
  for (int phase = 0; phase < kPhasesOfThree + kPhasesOfTwo; ++phase) barrier.arrive_and_wait();
}

void leave_early() {
  for (int phase = 0; phase < kPhasesOfThree; ++phase) barrier.arrive_and_wait();
  barrier.leave();
}

int main() {
  run_together(stay, stay, leave_early);
  assert(barrier.actions() == kPhasesOfThree + kPhasesOfTwo);
}
