// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: livelock
// quick: --strategy icb --executions 100
//
// The queue lock of Mellor-Crummey and Scott: each thread spins on a flag of its own, which the one before it
// in the queue clears.
//
// The bug: who unlocks and finds no successor linked empties the queue. A thread that has joined the queue
// and not linked itself yet will never be told.
#include <array>
#include <atomic>
#include <cassert>

#include "threads.hpp"

class McsLock {
 public:
  struct Node {
    std::atomic<Node*> next{nullptr};
    std::atomic<bool> waits{false};
  };

  void lock(Node& self) {
    self.next.store(nullptr);
    self.waits.store(true);
    Node* before = tail_.exchange(&self);
    if (before == nullptr) return;
    before->next.store(&self);
    while (self.waits.load()) {
    }
  }

  void unlock(Node& self) {
    Node* next = self.next.load();
    if (next == nullptr) {
#ifdef FIXED
      Node* last = &self;
      if (tail_.compare_exchange_strong(last, nullptr)) return;
      while ((next = self.next.load()) == nullptr) {
      }
#else
      tail_.store(nullptr);
      return;
#endif
    }
    next->waits.store(false);
  }

 private:
  std::atomic<Node*> tail_{nullptr};
};

constexpr std::size_t kThreads = 3;
constexpr int kRounds = 4;

McsLock lock;
std::array<McsLock::Node, kThreads> nodes;
std::atomic<int> counter{0};

void count(std::size_t self) {
  for (int round = 0; round < kRounds; ++round) {
    lock.lock(nodes[self]);
    counter.fetch_add(1);
    lock.unlock(nodes[self]);
  }
}

int main() {
  run_together([] { count(0); }, [] { count(1); }, [] { count(2); });
  assert(counter.load() == kThreads * kRounds);
}
