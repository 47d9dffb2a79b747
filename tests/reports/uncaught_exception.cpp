// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Somebody else takes the last item between the question and the answer.
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

class Stack {
 public:
  bool empty() {
    std::lock_guard lock(mutex_);
    return items_.empty();
  }
  int pop() {
    std::lock_guard lock(mutex_);
    if (items_.empty()) throw std::out_of_range("pop from an empty stack");
    int item = items_.back();
    items_.pop_back();
    return item;
  }

 private:
  std::mutex mutex_;
  std::vector<int> items_{1};
};

void worker(Stack& stack) {
  if (!stack.empty()) stack.pop();
}

int main() {
  Stack stack;
  std::thread first(worker, std::ref(stack));
  std::thread second(worker, std::ref(stack));
  first.join();
  second.join();
}
