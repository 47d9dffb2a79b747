// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// Main waits on a latch for a worker.
#include <atomic>
#include <cassert>
#include <latch>
#include <thread>

std::latch finished(1);
std::atomic<int> results{0};

int main() {
  std::thread worker([] {
    ++results;
    finished.count_down();
  });
  finished.wait();
  assert(results == 1);
  worker.join();
}
