// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// No clock goes backwards, in either thread.
#include <atomic>
#include <cassert>
#include <chrono>
#include <thread>

std::atomic<long> latest{0};

void look() {
  for (int i = 0; i < 2; ++i) {
    const long seen = latest;
    const long now = std::chrono::steady_clock::now().time_since_epoch().count();
    assert(now >= seen);
    latest = now;
  }
}

int main() {
  std::thread first(look);
  first.join();
  std::thread second([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    look();
  });
  second.join();
}
