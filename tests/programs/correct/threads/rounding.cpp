// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// How floating-point numbers are rounded: a thread begins as the one that creates it does then, and each has
// its own from then on; a signal handler begins with the default, and what it interrupts goes on as before.
#include <atomic>
#include <cassert>
#include <cfenv>
#include <csignal>
#include <thread>

std::atomic<int> turns{0};

void handle(int) {
  assert(std::fegetround() == FE_TONEAREST);
  std::fesetround(FE_TOWARDZERO);
}

int main() {
  std::signal(SIGUSR1, handle);
  std::fesetround(FE_UPWARD);
  std::thread other([] {
    assert(std::fegetround() == FE_UPWARD);
    std::fesetround(FE_DOWNWARD);
    ++turns;
    assert(std::fegetround() == FE_DOWNWARD);
  });
  ++turns;
  assert(std::fegetround() == FE_UPWARD);
  std::raise(SIGUSR1);
  assert(std::fegetround() == FE_UPWARD);
  other.join();
  assert(std::fegetround() == FE_UPWARD && turns == 2);
}
