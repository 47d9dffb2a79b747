// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --bound preemptions=1
//
// std::atomic::wait with a notification after every store.
// Only within a bound: libstdc++ looks a dozen times, and yields a few times, before each wait, and each
// look is an event.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> stage{0};
int data = 0;

int main() {
  std::thread reader([] {
    stage.wait(0);
    assert(stage == 1);
    assert(data == 42);
    stage = 2;
    stage.notify_one();
  });
  data = 42;
  stage = 1;
  stage.notify_one();
  stage.wait(1);
  assert(stage == 2);
  reader.join();
}
