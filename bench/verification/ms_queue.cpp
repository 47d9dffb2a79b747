// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// classes: 456 + 956 in vain
//
// A queue after Michael and Scott, without reuse of nodes: three threads push a node each, and
// two of them pop one.
#include <array>
#include <atomic>

#include "run.hpp"

struct Node {
  std::atomic<Node*> next{nullptr};
};

struct State {
  std::array<Node, 4> nodes;
  std::atomic<Node*> head{&nodes[0]};
  std::atomic<Node*> tail{&nodes[0]};

  void push(Node& node) {
    while (true) {
      Node* last = tail;
      Node* next = last->next;
      if (next != nullptr) {
        tail.compare_exchange_strong(last, next);
      } else if (last->next.compare_exchange_strong(next, &node)) {
        tail.compare_exchange_strong(last, &node);
        return;
      }
    }
  }

  bool pop() {
    while (true) {
      Node* first = head;
      Node* last = tail;
      Node* next = first->next;
      if (next == nullptr) return false;
      if (first == last) tail.compare_exchange_strong(last, next);
      if (head.compare_exchange_strong(first, next)) return true;
    }
  }
};

int main() {
  return run_threads<State>(3, [](State& state, int thread) {
    state.push(state.nodes[static_cast<std::size_t>(thread) + 1]);
    if (thread == 2) return;
    const bool popped = state.pop();
    assert(popped);
  });
}
