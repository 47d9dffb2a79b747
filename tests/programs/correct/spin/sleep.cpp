// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A polling loop that sleeps in between.
#include <atomic>
#include <cassert>
#include <chrono>
#include <thread>

std::atomic<bool> ready{false};

int main() {
  std::thread poller([] {
    while (!ready.load()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  });
  ready.store(true);
  poller.join();
}
