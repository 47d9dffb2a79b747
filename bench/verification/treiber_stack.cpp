// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// classes: 18192 + 4248 in vain
//
// Treiber's stack without reuse of nodes: three threads push a node each and pop one.
#include <array>
#include <atomic>

#include "run.hpp"

struct Node {
  Node* below = nullptr;
};

struct State {
  std::array<Node, 3> nodes;
  std::atomic<Node*> top{nullptr};

  void push(Node& node) {
    node.below = top;
    while (!top.compare_exchange_strong(node.below, &node)) {
    }
  }
  Node* pop() {
    Node* seen = top;
    while (seen != nullptr && !top.compare_exchange_strong(seen, seen->below)) {
    }
    return seen;
  }
};

int main() {
  return run_threads<State>(3, [](State& state, int thread) {
    state.push(state.nodes[static_cast<std::size_t>(thread)]);
    const Node* popped = state.pop();
    assert(popped != nullptr);
  });
}
