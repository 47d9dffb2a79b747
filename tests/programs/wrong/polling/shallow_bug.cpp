// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=1
//
// The assertion fails where the worker comes first; main polls behind it.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex mutex;
static bool done = false;
static std::atomic<int> value{0};

static bool is_done() {
  std::lock_guard guard(mutex);
  return done;
}

int main() {
  std::thread worker([] {
    value = 1;
    std::lock_guard guard(mutex);
    done = true;
  });
  assert(value == 0);
  while (!is_done()) {
  }
  worker.join();
}
