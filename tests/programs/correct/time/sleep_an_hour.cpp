// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// plain: no
// expect: exhausted
//
// A sleep of an hour takes no time, and the clock has moved by an hour.
#include <cassert>
#include <chrono>
#include <thread>

int main() {
  std::thread sleeper([] {
    const auto start = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::hours(1));
    assert(std::chrono::steady_clock::now() - start >= std::chrono::hours(1));
  });
  sleeper.join();
}
