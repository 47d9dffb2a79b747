// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A contended counter: a million increments where the program is run by itself, as configure checks do; a few
// in a search.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

#ifdef __THRUM__
#include <thrum/thrum.h>
#else
static int thrum_is_active() { return 0; }
#endif

int main() {
  const int per_thread = thrum_is_active() ? 1 : 250'000;
  std::mutex mutex;
  std::condition_variable done;
  int guarded = 0;
  int finished = 0;
  std::atomic<int> counter{0};
  auto run = [&] {
    for (int i = 0; i < per_thread; ++i) {
      counter.fetch_add(1);
      std::lock_guard lock(mutex);
      ++guarded;
    }
    std::lock_guard lock(mutex);
    if (++finished == 2) done.notify_one();
  };
  std::jthread a(run);
  std::jthread b(run);
  std::unique_lock lock(mutex);
  done.wait(lock, [&] { return finished == 2; });
  if (guarded != 2 * per_thread || counter != 2 * per_thread) {
    std::printf("%d and %d of %d\n", guarded, counter.load(), 2 * per_thread);
    return 1;
  }
}
