// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bound: preemptions=2
// executions: ?
//
// Three threads, each of which pushes two nodes of its own and pops one on a Michael-Scott queue
// without reuse of nodes: 39 to 44 visible operations an execution, process exit included. How
// often exchanges fail depends on the schedule, so there is no closed formula.
#include <array>
#include <atomic>
#include <cassert>
#include <thread>

struct Node {
  std::atomic<Node*> next{nullptr};
};

std::array<Node, 7> nodes;
std::atomic<Node*> head{&nodes[0]};
std::atomic<Node*> tail{&nodes[0]};

void push(Node& node) {
  for (;;) {
    Node* last = tail.load();
    Node* next = last->next.load();
    if (next != nullptr) {
      tail.compare_exchange_strong(last, next);
    } else if (last->next.compare_exchange_strong(next, &node)) {
      tail.compare_exchange_strong(last, &node);
      return;
    }
  }
}

bool pop() {
  for (;;) {
    Node* first = head.load();
    Node* last = tail.load();
    Node* next = first->next.load();
    if (next == nullptr) return false;
    if (first == last) tail.compare_exchange_strong(last, next);
    if (head.compare_exchange_strong(first, next)) return true;
  }
}

void work(std::size_t first_node) {
  push(nodes[first_node]);
  push(nodes[first_node + 1]);
  const bool popped = pop();
  assert(popped);
}

int main() {
#ifdef BARE
  for (long round = 0; round < BARE; ++round) {
    for (Node& node : nodes) node.next = nullptr;
    head = tail = &nodes[0];
    for (std::size_t first_node : {1, 3, 5}) work(first_node);
  }
#else
  std::thread first(work, 1);
  std::thread second(work, 3);
  std::thread third(work, 5);
  first.join();
  second.join();
  third.join();
#endif
}
