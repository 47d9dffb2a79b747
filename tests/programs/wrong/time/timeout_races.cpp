// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=1
// args: --bound preemptions=2
//
// A result that is looked at after wait_for, whether or not it has timed out. A timeout while
// another thread could run costs as much as a preemption.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex mutex;
std::condition_variable changed;
bool ready = false;

int main() {
  std::thread waiter([] {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, std::chrono::seconds(1), [] { return ready; });
    assert(ready);
  });
  std::thread setter([] {
    std::lock_guard guard(mutex);
    ready = true;
    changed.notify_one();
  });
  waiter.join();
  setter.join();
}
