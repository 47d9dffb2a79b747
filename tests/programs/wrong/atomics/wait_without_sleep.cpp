// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=1
// compilers: both
//
// A waiting thread that finds the value there at its first look does not sleep, and so is not held up until
// it is notified: what is written between the store and the notification may be missing.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> ready{0};
std::atomic<int> data{0};

int main() {
  std::thread reader([] {
    ready.wait(0);
    assert(data == 1);
  });
  ready = 1;
  data = 1;
  ready.notify_one();
  reader.join();
}
