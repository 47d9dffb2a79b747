// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion
// args: --strategy random --seed 7
//
// A stack of free slots by their numbers, without locks: after the "SafeStack" that D. Vyukov posted to the CHESS
// forum in 2010. Whoever takes the top slot first takes its link away, so that nobody else can take it; a count keeps
// the last slot in the stack. Yet a slot can get two owners: it takes three threads, and five preemptions as far as is
// known. scripts/deep-bug looks for it by the default strategy.
#include <array>
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

namespace {

constexpr int kNone = -1;
constexpr int kSlots = 3;
constexpr int kThreads = 3;
constexpr int kRounds = 2;

class SlotStack {
 public:
  SlotStack() {
    for (int i = 0; i < kSlots; ++i) links_[i] = i + 1 < kSlots ? i + 1 : kNone;
  }

  int pop() {
    while (count_.load() > 1) {
      int top = top_.load();
      int below = links_[top].exchange(kNone);
      if (below == kNone) continue;  // somebody else has it in hand
      int expected = top;
      if (top_.compare_exchange_strong(expected, below)) {
        count_.fetch_sub(1);
        return top;
      }
      links_[top].exchange(below);
    }
    return kNone;
  }

  void push(int slot) {
    int top = top_.load();
    do {
      links_[slot].store(top);
    } while (!top_.compare_exchange_strong(top, slot));
    count_.fetch_add(1);
  }

 private:
  std::array<std::atomic<int>, kSlots> links_;
  std::atomic<int> top_ = 0;
  std::atomic<int> count_ = kSlots;
};

}  // namespace

int main() {
  SlotStack stack;
  std::array<std::atomic<int>, kSlots> owners{};
  std::vector<std::thread> threads;
  for (int self = 1; self <= kThreads; ++self) {
    threads.emplace_back([&, self] {
      for (int round = 0; round < kRounds; ++round) {
        int slot = stack.pop();
        if (slot == kNone) continue;
        owners[slot].store(self);
        assert(owners[slot].load() == self && "two threads own one slot");
        stack.push(slot);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}
