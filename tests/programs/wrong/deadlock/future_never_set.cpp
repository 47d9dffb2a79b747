// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug deadlock preemptions=0
// args: --bound preemptions=1
//
// A future whose promise is kept but never set.
#include <future>
#include <thread>

int main() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread waiter([&] { future.get(); });
  waiter.join();
}
