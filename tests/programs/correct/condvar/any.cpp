// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// std::condition_variable_any over a shared lock.
#include <condition_variable>
#include <shared_mutex>
#include <thread>

std::shared_mutex mutex;
std::condition_variable_any opened;
bool open = false;

int main() {
  std::thread waiter([] {
    std::shared_lock lock(mutex);
    opened.wait(lock, [] { return open; });
  });
  {
    std::lock_guard guard(mutex);
    open = true;
  }
  opened.notify_all();
  waiter.join();
}
