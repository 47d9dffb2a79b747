// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// classes: 66
// peers 4 (-DTHREADS=4): 1080
// peers 5 (-DTHREADS=5): 23640
//
// The queue lock of Mellor-Crummey and Scott: each thread waits at a word of its own, which the one before it
// sets. Once each.
#include <array>
#include <atomic>

#include "run.hpp"

#ifndef THREADS
#define THREADS 3
#endif

struct Node {
  std::atomic<Node*> next{nullptr};
  std::atomic<bool> granted{false};
};

struct State {
  std::array<Node, THREADS> nodes;
  std::atomic<Node*> tail{nullptr};
  int inside = 0;

  void lock(Node& mine) {
    mine.granted = false;
    mine.next = nullptr;
    Node* before = tail.exchange(&mine);
    if (before == nullptr) return;
    before->next = &mine;
    while (!mine.granted) {
    }
  }

  void unlock(Node& mine) {
    Node* next = mine.next;
    if (next == nullptr) {
      Node* last = &mine;
      if (tail.compare_exchange_strong(last, nullptr)) return;
      while ((next = mine.next) == nullptr) {
      }
    }
    next->granted = true;
  }
};

int main() {
  return run_threads<State>(THREADS, [](State& state, int thread) {
    Node& mine = state.nodes[static_cast<std::size_t>(thread)];
    state.lock(mine);
    assert(++state.inside == 1);
    --state.inside;
    state.unlock(mine);
  });
}
