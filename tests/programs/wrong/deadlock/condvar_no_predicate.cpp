// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug deadlock preemptions=0
//
// A wait without a predicate, after the only signal.
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex mutex;
std::condition_variable changed;

int main() {
  std::thread waiter([] {
    std::unique_lock lock(mutex);
    changed.wait(lock);
  });
  std::thread signaller([] {
    std::lock_guard guard(mutex);
    changed.notify_one();
  });
  waiter.join();
  signaller.join();
}
