// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// Counts under each means of excluding others: a million times where the program is run by itself, and so
// everything goes to the C library; a few times in a search.
#include <thrum/thrum.h>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

int main() {
  const int threads = thrum_is_active() ? 2 : 4;
  const int increments = thrum_is_active() ? 1 : 250'000;
  std::mutex mutex;
  std::condition_variable all_done;
  int guarded = 0;
  int done = 0;
  std::atomic<int> by_addition{0};
  std::atomic<int> by_exchange{0};
  auto count = [&] {
    for (int i = 0; i < increments; ++i) {
      {
        std::lock_guard lock(mutex);
        ++guarded;
      }
      by_addition.fetch_add(1, std::memory_order_relaxed);
      int seen = by_exchange.load();
      while (!by_exchange.compare_exchange_weak(seen, seen + 1)) {
      }
    }
    std::lock_guard lock(mutex);
    ++done;
    all_done.notify_one();
  };
  std::thread group[4];
  for (int i = 0; i < threads; ++i) group[i] = std::thread(count);
  {
    std::unique_lock lock(mutex);
    all_done.wait(lock, [&] { return done == threads; });
  }
  for (int i = 0; i < threads; ++i) group[i].join();
  const int expected = threads * increments;
  if (guarded == expected && by_addition == expected && by_exchange == expected) return 0;
  std::printf("%d, %d and %d of %d\n", guarded, by_addition.load(), by_exchange.load(), expected);
  return 1;
}
