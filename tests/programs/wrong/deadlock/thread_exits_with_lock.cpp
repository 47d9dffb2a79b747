// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug deadlock preemptions=0
//
// A thread ends with a mutex held, and another waits for it.
#include <mutex>
#include <thread>

std::mutex mutex;

int main() {
  std::thread forgetful([] { mutex.lock(); });
  std::thread other([] { std::lock_guard guard(mutex); });
  forgetful.join();
  other.join();
}
