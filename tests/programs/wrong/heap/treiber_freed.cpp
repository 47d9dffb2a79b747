// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug data-race preemptions=1
// compilers: both
//
// A stack without locks (Treiber 1986). Who pops reads the node below the top after it has loaded the top;
// another thread may have freed the top by then. No interleaving of atomic operations alone shows it: the
// value that is read does no harm.
#include <atomic>
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

int pop() {
  Node* top = head.load();
  while (top != nullptr && !head.compare_exchange_weak(top, top->next)) {  // reported
  }
  const int value = top != nullptr ? top->value : 0;
  delete top;  // reported
  return value;
}

int main() {
  push(1);
  push(2);
  std::thread first(pop), second(pop);
  first.join();
  second.join();
}
