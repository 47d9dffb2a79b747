// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion
// compilers: both
//
// A waiting thread that has slept finds another value than the one that it was notified of.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> stage{0};

int main() {
  std::thread reader([] {
    stage.wait(0);
    assert(stage == 1);
  });
  stage = 1;
  stage.notify_one();
  stage = 2;
  stage.notify_one();
  reader.join();
}
