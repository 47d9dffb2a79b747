// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --bound preemptions=2
//
// A Michael-Scott queue whose nodes are never freed: two producers, and a consumer who takes what
// he finds.
// Only within a bound: 863,012 schedules take more than two seconds.
#include <array>
#include <atomic>
#include <cassert>
#include <optional>
#include <thread>

struct Node {
  int value = 0;
  std::atomic<Node*> next{nullptr};
};

class Queue {
 public:
  explicit Queue(Node& dummy) : head_(&dummy), tail_(&dummy) {}

  void push(Node& node) {
    for (;;) {
      Node* tail = tail_.load();
      Node* next = tail->next.load();
      if (next != nullptr) {
        tail_.compare_exchange_strong(tail, next);
      } else if (tail->next.compare_exchange_strong(next, &node)) {
        tail_.compare_exchange_strong(tail, &node);
        return;
      }
    }
  }

  std::optional<int> pop() {
    for (;;) {
      Node* head = head_.load();
      Node* tail = tail_.load();
      Node* next = head->next.load();
      if (next == nullptr) return std::nullopt;
      if (head == tail) tail_.compare_exchange_strong(tail, next);
      if (head_.compare_exchange_strong(head, next)) return next->value;
    }
  }

 private:
  std::atomic<Node*> head_;
  std::atomic<Node*> tail_;
};

int main() {
  std::array<Node, 3> nodes;
  nodes[1].value = 1;
  nodes[2].value = 2;
  Queue queue(nodes[0]);
  int sum = 0;
  std::thread first([&] { queue.push(nodes[1]); });
  std::thread second([&] { queue.push(nodes[2]); });
  std::thread consumer([&] { sum += queue.pop().value_or(0); });
  first.join();
  second.join();
  consumer.join();
  while (const std::optional<int> value = queue.pop()) sum += *value;
  assert(sum == 3);
}
