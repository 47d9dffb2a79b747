// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug deadlock preemptions=0
//
// One signal where two threads wait for the same flag.
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex mutex;
std::condition_variable opened;
bool open = false;

int main() {
  const auto pass = [] {
    std::unique_lock lock(mutex);
    opened.wait(lock, [] { return open; });
  };
  std::thread first(pass);
  std::thread second(pass);
  std::thread opener([] {
    std::lock_guard guard(mutex);
    open = true;
    opened.notify_one();
  });
  first.join();
  second.join();
  opener.join();
}
