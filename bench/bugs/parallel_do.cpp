// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: assertion
// quick: --strategy icb --executions 100
//
// parallel_do: workers run a body on each item of a work list; the body may feed further items. The call
// returns when no item is pending, and tells the workers to stop.
//
// The bug: an item is counted as done when its body begins. While the body of the last one has not fed its
// children yet, nothing seems to be pending.
#include <atomic>
#include <cassert>
#include <mutex>
#include <optional>
#include <vector>

#include "threads.hpp"

class ParallelDo {
 public:
  void feed(int item) {
    pending_.fetch_add(1);
    std::lock_guard lock(mutex_);
    items_.push_back(item);
    waiting_.fetch_add(1);
  }

  // One of the workers.
  template <class Body>
  void work(Body body) {
    while (!stopped_.load()) {
      const std::optional<int> item = waiting_.load() > 0 ? take() : std::nullopt;
      if (!item) continue;
#ifdef FIXED
      body(*this, *item);
      pending_.fetch_sub(1);
#else
      pending_.fetch_sub(1);
      body(*this, *item);
#endif
    }
  }

  void wait_until_done() {
    while (pending_.load() != 0) {
    }
    stopped_.store(true);
  }

 private:
  std::optional<int> take() {
    std::lock_guard lock(mutex_);
    if (items_.empty()) return std::nullopt;
    const int item = items_.back();
    items_.pop_back();
    waiting_.fetch_sub(1);
    return item;
  }

  std::mutex mutex_;
  std::vector<int> items_;
  std::atomic<int> waiting_{0};  // in items_
  std::atomic<int> pending_{0};  // waiting, or the body runs on them
  std::atomic<bool> stopped_{false};
};

// An item is the depth of a subtree that is to be visited.
constexpr int kDepth = 3;

ParallelDo parallel_do;
std::atomic<int> visited{0};

void visit(ParallelDo& feeder, int depth) {
  visited.fetch_add(1);
  for (int child = 0; depth > 0 && child < 2; ++child) feeder.feed(depth - 1);
}

int main() {
  parallel_do.feed(kDepth);
  run_together([] { parallel_do.work(visit); }, [] { parallel_do.work(visit); },
               [] {
                 parallel_do.wait_until_done();
                 assert(visited.load() == (1 << (kDepth + 1)) - 1);
               });
}
