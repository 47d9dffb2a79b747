// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug livelock
//
// main polls under a lock for what nobody does.
#include <mutex>
#include <thread>

static std::mutex mutex;
static bool done = false;

static bool is_done() {
  std::lock_guard guard(mutex);
  return done;
}

int main() {
  std::thread worker([] { std::lock_guard guard(mutex); });
  while (!is_done()) {
  }
  worker.join();
}
