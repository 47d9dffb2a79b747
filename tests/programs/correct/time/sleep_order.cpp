// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --bound preemptions=0
//
// Where nothing else can run, the shortest sleep ends first. (An earlier end of the longer one is
// possible only at the cost of a timeout while another thread is enabled.)
#include <atomic>
#include <cassert>
#include <chrono>
#include <thread>

std::atomic<int> order{0};

int main() {
  std::thread late([] {
    std::this_thread::sleep_for(std::chrono::seconds(2));
    assert(order.exchange(2) == 1);
  });
  std::thread early([] {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    assert(order.exchange(1) == 0);
  });
  late.join();
  early.join();
}
