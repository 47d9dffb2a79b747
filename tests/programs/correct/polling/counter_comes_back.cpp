// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A count of those inside goes up and down again in each round.
#include <atomic>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::atomic<int> inside{0};
static bool done = false;

static bool is_done() {
  ++inside;
  bool result;
  {
    std::lock_guard guard(mutex);
    result = done;
  }
  --inside;
  return result;
}

int main() {
  std::thread worker([] {
    std::lock_guard guard(mutex);
    done = true;
  });
  while (!is_done()) {
  }
  worker.join();
}
