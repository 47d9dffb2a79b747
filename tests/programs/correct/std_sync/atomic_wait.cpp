// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// std::atomic::wait with a notification after the store.
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
  });
  data = 42;
  stage = 1;
  stage.notify_one();
  reader.join();
}
