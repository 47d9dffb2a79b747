// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=1
// args: --races ignore
//
// The same stack, where nobody minds that freed nodes are read. A thread has loaded the top node A and the
// node B below it, and is interrupted; another one takes both, frees B and then A, and pushes a node, for
// which it is given the memory of A: the compare-exchange finds A on top, and makes B the new top. Where
// memory is never used again it fails as it should (tests/programs/correct/heap/treiber_fresh.cpp).
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

struct Node {
  int value;
  Node* next;
};

std::atomic<Node*> head;

void push(int value) {
  Node* node = new Node{value, head.load()};
  while (!head.compare_exchange_weak(node->next, node)) {
  }
}

std::unique_ptr<Node> pop() {
  Node* top = head.load();
  while (top != nullptr) {
    Node* below = top->next;
    if (head.compare_exchange_weak(top, below)) break;
  }
  return std::unique_ptr<Node>(top);
}

void take_one() { pop(); }

void take_two_and_push() {
  {
    const std::unique_ptr<Node> first = pop();
    const std::unique_ptr<Node> second = pop();
  }
  push(4);
}

int main() {
  for (int value = 1; value <= 3; ++value) push(value);
  std::thread one(take_one), other(take_two_and_push);
  one.join();
  other.join();
  int left = 0;
  for (const Node* node = head; node != nullptr; node = node->next) ++left;
  assert(left == 1 && "four nodes came, and three went");
}
