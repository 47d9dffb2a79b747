// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// One notify_all wakes everybody who waits.
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex mutex;
std::condition_variable opened;
bool open = false;

void pass() {
  std::unique_lock lock(mutex);
  opened.wait(lock, [] { return open; });
}

int main() {
  std::thread first(pass);
  std::thread second(pass);
  {
    std::lock_guard guard(mutex);
    open = true;
  }
  opened.notify_all();
  first.join();
  second.join();
}
