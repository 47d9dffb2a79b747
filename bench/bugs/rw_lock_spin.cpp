// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: assertion
// quick: --strategy icb --executions 1000
//
// A spinning reader-writer lock: a flag for the writer, and the number of readers.
//
// The bug: a reader waits until there is no writer, and then counts itself. A writer may come in between and
// find no reader, so that both are inside.
#include <atomic>
#include <cassert>

#include "threads.hpp"

class ReaderWriterLock {
 public:
  void lock_shared() {
#ifdef FIXED
    while (true) {
      readers_.fetch_add(1);
      if (!writer_.load()) return;
      readers_.fetch_sub(1);
      while (writer_.load()) {
      }
    }
#else
    while (writer_.load()) {
    }
    readers_.fetch_add(1);
#endif
  }
  void unlock_shared() { readers_.fetch_sub(1); }

  void lock() {
    while (writer_.exchange(true)) {
    }
    while (readers_.load() > 0) {
    }
  }
  void unlock() { writer_.store(false); }

 private:
  std::atomic<bool> writer_{false};
  std::atomic<int> readers_{0};
};

ReaderWriterLock lock;
std::atomic<int> balance_of_one{100};
std::atomic<int> balance_of_two{100};

void transfer(int times) {
  for (int i = 0; i < times; ++i) {
    lock.lock();
    balance_of_one.fetch_sub(10);
    balance_of_two.fetch_add(10);
    lock.unlock();
  }
}

void audit(int times) {
  for (int i = 0; i < times; ++i) {
    lock.lock_shared();
    assert(balance_of_one.load() + balance_of_two.load() == 200);
    lock.unlock_shared();
  }
}

int main() {
  run_together([] { transfer(3); }, [] { audit(3); });
  assert(balance_of_one.load() == 70);
}
