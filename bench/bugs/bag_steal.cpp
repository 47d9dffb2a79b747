// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: assertion
// quick: --strategy icb --executions 1000
//
// A concurrent bag: a list for each thread, which its owner uses at one end, mostly without the list's lock,
// and from whose other end the others steal with the lock. The owner announces that it takes an item; while
// it does, a thief leaves the last items alone.
//
// The bug: the owner first looks whether there are enough items to do without the lock, and then announces
// itself. In between, thieves can take all of them.
#include <array>
#include <atomic>
#include <cassert>
#include <mutex>
#include <optional>

#include "threads.hpp"

class List {
 public:
  // Owner only.
  void add(int item) {
    const int high = high_.load();
    items_[static_cast<std::size_t>(high)].store(item);
    high_.store(high + 1);
  }

  // Owner only.
  std::optional<int> take() {
#ifdef FIXED
    owner_takes_.store(true);
    const bool enough = size() > kEnough;
#else
    const bool enough = size() > kEnough;
    owner_takes_.store(enough);
#endif
    if (enough) {
      const int item = take_high();
      owner_takes_.store(false);
      return item;
    }
    owner_takes_.store(false);
    std::lock_guard lock(mutex_);
    if (size() == 0) return std::nullopt;
    return take_high();
  }

  std::optional<int> steal() {
    std::lock_guard lock(mutex_);
    while (size() <= kEnough && owner_takes_.load()) std::this_thread::yield();
    if (size() == 0) return std::nullopt;
    const int low = low_.load();
    low_.store(low + 1);
    return items_[static_cast<std::size_t>(low)].load();
  }

 private:
  static constexpr int kEnough = 2;
  int size() const { return high_.load() - low_.load(); }
  int take_high() {
    const int high = high_.load() - 1;
    high_.store(high);
    return items_[static_cast<std::size_t>(high)].load();
  }

  std::array<std::atomic<int>, 8> items_;  // of those that are in the list, [low_, high_)
  std::atomic<int> low_{0};
  std::atomic<int> high_{0};
  std::atomic<bool> owner_takes_{false};
  std::mutex mutex_;
};

constexpr std::size_t kThreads = 3;
constexpr int kItemsMax = 8;

std::array<List, kThreads> bag;
std::array<std::atomic<bool>, kThreads * kItemsMax> taken;

std::optional<int> take(std::size_t self) {
  std::optional<int> item = bag[self].take();
  for (std::size_t i = 1; !item && i < kThreads; ++i) item = bag[(self + i) % kThreads].steal();
  return item;
}

// Adds so many items to the thread's own list, and takes so many from wherever there are some.
void work(std::size_t self, int adds, int takes) {
  for (int i = 0; i < adds; ++i) bag[self].add(static_cast<int>(self) * kItemsMax + i);
  for (int i = 0; i < takes; ++i) {
    const std::optional<int> item = take(self);
    const bool again = item && taken[static_cast<std::size_t>(*item)].exchange(true);
    assert(!again);
  }
}

int main() {
  run_together([] { work(0, 4, 3); }, [] { work(1, 1, 4); }, [] { work(2, 2, 3); });
}
