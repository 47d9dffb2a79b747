// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug deadlock preemptions=0
// args: --bound preemptions=1
//
// A latch for two, counted down once.
#include <latch>
#include <thread>

std::latch finished(2);

int main() {
  std::thread worker([] { finished.count_down(); });
  finished.wait();
  worker.join();
}
