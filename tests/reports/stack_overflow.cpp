// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A list is walked to its end while another thread moves its first node to the end.
#include <atomic>
#include <cstdio>
#include <thread>

struct Node {
  std::atomic<Node*> next{nullptr};
};

Node first;
Node second;

int length(Node* node) {
  if (node == nullptr) return 0;
  char name[50'000];
  std::snprintf(name, sizeof name, "%p", static_cast<void*>(node));
  return length(node->next) + (name[0] != 0 ? 1 : 0);
}

int main() {
  first.next = &second;
  std::thread editor([] {
    second.next = &first;
    first.next = nullptr;
  });
  length(&first);
  editor.join();
}
