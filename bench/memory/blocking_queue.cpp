// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bounded blocking queue, two threads that put and two that take: about 200 operations on locks and
// condition variables, as the test of a blocking collection by which GAMBIT's Figure 5 measures the execution
// tree.
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr int kItemsEach = 12;
constexpr std::size_t kRoom = 4;

class BlockingQueue {
 public:
  void put(int item) {
    std::unique_lock lock(mutex_);
    has_room_.wait(lock, [&] { return items_.size() < kRoom; });
    items_.push_back(item);
    has_item_.notify_one();
  }

  int take() {
    std::unique_lock lock(mutex_);
    has_item_.wait(lock, [&] { return !items_.empty(); });
    int item = items_.front();
    items_.pop_front();
    has_room_.notify_one();
    return item;
  }

 private:
  std::mutex mutex_;
  std::condition_variable has_room_;
  std::condition_variable has_item_;
  std::deque<int> items_;
};

}  // namespace

int main() {
  BlockingQueue queue;
  int sums[2] = {};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      for (int item = 1; item <= kItemsEach; ++item) queue.put(item);
    });
    threads.emplace_back([&, i] {
      for (int item = 1; item <= kItemsEach; ++item) sums[i] += queue.take();
    });
  }
  for (std::thread& thread : threads) thread.join();
  assert(sums[0] + sums[1] == kItemsEach * (kItemsEach + 1));
  return 0;
}
