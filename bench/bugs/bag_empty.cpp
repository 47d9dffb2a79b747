// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: assertion
// quick: --strategy icb --executions 100
//
// A concurrent bag of lists, each with its lock. To take an item is to look through one list after another.
//
// The bug: "empty" is the answer where each list was found empty in its turn. Meanwhile an item may have been
// added to a list that was looked at already, and one taken from a list that was not, so that the bag was
// never empty.
#include <array>
#include <atomic>
#include <cassert>
#include <mutex>
#include <optional>
#include <vector>

#include "threads.hpp"

class Bag {
 public:
  void add(std::size_t list, int item) {
    std::lock_guard lock(lists_[list].mutex);
    lists_[list].items.push_back(item);
    additions_.fetch_add(1);
  }

  std::optional<int> take(std::size_t first) {
#ifdef FIXED
    int additions = -1;
    while (additions != additions_.load()) {
      additions = additions_.load();
      if (std::optional<int> item = look_through(first)) return item;
    }
    return std::nullopt;
#else
    return look_through(first);
#endif
  }

 private:
  struct List {
    std::mutex mutex;
    std::vector<int> items;
  };

  std::optional<int> look_through(std::size_t first) {
    for (std::size_t i = 0; i < lists_.size(); ++i) {
      List& list = lists_[(first + i) % lists_.size()];
      std::lock_guard lock(list.mutex);
      if (list.items.empty()) continue;
      const int item = list.items.back();
      list.items.pop_back();
      return item;
    }
    return std::nullopt;
  }

  std::array<List, 3> lists_;
  std::atomic<int> additions_{0};
};

constexpr int kRounds = 8;

Bag bag;
std::atomic<int> taken{0};

// Whoever takes has put something in before, so that the bag is not empty until it has taken.
void put_and_take(std::size_t self) {
  for (int round = 0; round < kRounds; ++round) {
    bag.add(self, round);
    const std::optional<int> item = bag.take(self + 1);
    assert(item);
    taken.fetch_add(1);
  }
}

int main() {
  run_together([] { put_and_take(0); }, [] { put_and_take(1); }, [] { put_and_take(2); });
  assert(taken.load() == 3 * kRounds);
  const std::optional<int> left = bag.take(0);
  assert(!left);
}
