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

void print(Node* node, const char* before) {
  if (node == nullptr) return;
  char text[50'000];
  std::snprintf(text, sizeof text, "%s, %p", before, static_cast<void*>(node));
  print(node->next, text);
}

int main() {
  first.next = &second;
  std::thread editor([] {
    second.next = &first;
    first.next = nullptr;
  });
  print(&first, "nodes");
  editor.join();
}
