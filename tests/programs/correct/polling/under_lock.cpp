// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// main polls a flag under a lock, which the worker sets under it: a round comes to nothing, and is a wait.
#include <mutex>
#include <thread>

static std::mutex mutex;
static bool done = false;

static bool is_done() {
  std::lock_guard guard(mutex);
  return done;
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
