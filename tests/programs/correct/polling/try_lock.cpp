// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// Polls with a lock that it only tries to take.
#include <mutex>
#include <thread>

static std::mutex mutex;
static bool done = false;

static bool is_done() {
  std::unique_lock guard(mutex, std::try_to_lock);
  return guard.owns_lock() && done;
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
