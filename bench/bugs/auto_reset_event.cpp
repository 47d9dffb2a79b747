// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: assertion
// quick: --strategy icb --executions 10000
//
// An event of a condition variable that lets one waiter go for each time that it is set, as tickets for a
// gate.
//
// The bug: a waiter that was woken does not look again. Another thread may have come before it has the lock,
// and have taken what it was woken for.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>

#include "threads.hpp"

class AutoResetEvent {
 public:
  void set() {
    std::lock_guard lock(mutex_);
    ++sets_;
    was_set_.notify_one();
  }

  void wait() {
    std::unique_lock lock(mutex_);
#ifdef FIXED
    while (sets_ == 0) was_set_.wait(lock);
#else
    if (sets_ == 0) was_set_.wait(lock);
#endif
    --sets_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable was_set_;
  int sets_ = 0;
};

constexpr int kGuests = 3;

AutoResetEvent gate;
std::atomic<int> tickets{0};
std::atomic<int> guests{0};

void guest() {
  gate.wait();
  const int number = guests.fetch_add(1) + 1;
  assert(number <= tickets.load());
}

void sell_tickets() {
  for (int i = 0; i < kGuests; ++i) {
    tickets.fetch_add(1);
    gate.set();
  }
}

int main() { run_together(guest, guest, guest, sell_tickets); }
