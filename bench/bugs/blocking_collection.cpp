// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: deadlock
// quick: --strategy random --seed 1 --executions 1000
//
// A blocking collection of bounded capacity. Producers fill it, consumers empty it until it is completed:
// then those who wait for an item are told that no more will come.
//
// The bug: the completion is a flag that is set, and announced, without the lock. A consumer that has just
// found the collection empty and not completed goes to sleep behind the announcement, at the end of much
// ordinary traffic.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

#include "threads.hpp"

class BlockingCollection {
 public:
  explicit BlockingCollection(std::size_t capacity) : capacity_(capacity) {}

  void add(int item) {
    std::unique_lock lock(mutex_);
    has_space_.wait(lock, [this] { return items_.size() < capacity_; });
    items_.push_back(item);
    has_item_.notify_one();
  }

  // Nothing where the collection is empty and completed.
  std::optional<int> take() {
    std::unique_lock lock(mutex_);
    has_item_.wait(lock, [this] { return !items_.empty() || completed_.load(); });
    if (items_.empty()) return std::nullopt;
    const int item = items_.front();
    items_.pop_front();
    has_space_.notify_one();
    return item;
  }

  void complete_adding() {
#ifdef FIXED
    std::lock_guard lock(mutex_);
#endif
    completed_.store(true);
    has_item_.notify_all();
  }

 private:
  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable has_space_;
  std::condition_variable has_item_;
  std::deque<int> items_;
  std::atomic<bool> completed_{false};
};

constexpr int kProducers = 2;
constexpr int kItemsOfEach = 8;

BlockingCollection collection(2);
std::atomic<int> producing{kProducers};
std::atomic<int> taken{0};

void produce() {
  for (int item = 1; item <= kItemsOfEach; ++item) collection.add(item);
  if (producing.fetch_sub(1) == 1) collection.complete_adding();
}

void consume() {
  while (collection.take()) taken.fetch_add(1);
}

int main() {
  run_together(produce, produce, consume, consume);
  assert(taken.load() == kProducers * kItemsOfEach);
}
