// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// Each round changes a list as well and puts it back, blocks of the heap and all.
#include <list>
#include <mutex>
#include <thread>

static std::mutex mutex;
static bool done = false;
static std::list<int> rounds;

static bool is_done() {
  std::lock_guard guard(mutex);
  rounds.push_back(1);
  rounds.pop_front();
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
