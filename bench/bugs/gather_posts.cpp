// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: assertion
// quick: --strategy icb --executions 100
//
// Posts to a port are gathered by one receiver, once all have been announced as posted. The port is a queue
// without locks: to enqueue is to exchange the tail and then to link the former tail to the new node.
//
// The bug: between the two the queue is cut. Whatever was enqueued behind the cut, and announced, cannot be
// reached, and TryDequeue says that there is nothing.
#include <array>
#include <atomic>
#include <cassert>

#include "threads.hpp"

struct Message {
  int value = 0;
  std::atomic<Message*> next{nullptr};
};

class Port {
 public:
  void enqueue(Message* message) {
    Message* before = tail_.exchange(message);
    before->next.store(message);
  }

  // One receiver only; nothing where the port is empty.
  Message* try_dequeue() {
    Message* next = head_->next.load();
#ifdef FIXED
    while (next == nullptr && tail_.load() != head_) next = head_->next.load();
#endif
    if (next != nullptr) head_ = next;
    return next;
  }

 private:
  Message dummy_;
  Message* head_ = &dummy_;
  std::atomic<Message*> tail_{&dummy_};
};

constexpr std::size_t kPosts = 5;

Port port;
std::atomic<int> announced{0};
std::array<std::array<Message, kPosts>, 2> messages;

void post(std::size_t self) {
  for (Message& message : messages[self]) {
    message.value = 1;
    port.enqueue(&message);
    announced.fetch_add(1);
  }
}

void gather() {
  int gathered = 0;
  while (gathered < static_cast<int>(2 * kPosts)) {
    const int ready = announced.load();
    for (; gathered < ready; ++gathered) {
      const Message* message = port.try_dequeue();
      assert(message != nullptr && message->value == 1);
    }
  }
}

int main() {
  run_together([] { post(0); }, [] { post(1); }, gather);
}
