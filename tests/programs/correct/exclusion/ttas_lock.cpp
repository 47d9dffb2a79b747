// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A spin lock that tests before it tests and sets.
#include <atomic>
#include <cassert>
#include <thread>

class SpinLock {
 public:
  void lock() {
    while (held_.exchange(true)) {
      while (held_.load()) {
      }
    }
  }
  void unlock() { held_.store(false); }

 private:
  std::atomic<bool> held_{false};
};

SpinLock spin_lock;
int inside = 0;

void enter() {
  spin_lock.lock();
  assert(++inside == 1);
  --inside;
  spin_lock.unlock();
}

int main() {
  std::thread first(enter);
  std::thread second(enter);
  first.join();
  second.join();
}
