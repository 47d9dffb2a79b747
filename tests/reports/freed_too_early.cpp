// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stack without locks. Who pops looks at the next node of one that another thread may have freed.
#include <atomic>
#include <thread>

struct Node {
  int value;
  Node* next;
};
std::atomic<Node*> head;

void push(int value) { head = new Node{value, head}; }

void pop() {
  Node* top = head.load();
  while (top && !head.compare_exchange_weak(top, top->next)) {
  }
  delete top;
}

int main() {
  push(1);
  push(2);
  std::thread first(pop);
  std::thread second(pop);
  first.join();
  second.join();
}
