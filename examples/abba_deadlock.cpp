// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug deadlock preemptions=1
//
// Two accounts, each with its lock; a transfer takes both locks.
//
// The bug: a transfer takes the lock of its source first, so two transfers in opposite directions
// can each hold one lock and wait for the other. std::scoped_lock(from.mutex, to.mutex) would not.
#include <cassert>
#include <mutex>
#include <thread>

struct Account {
  std::mutex mutex;
  int balance = 100;
};

Account savings;
Account current;

void transfer(Account& from, Account& to, int amount) {
  std::lock_guard from_guard(from.mutex);
  std::lock_guard to_guard(to.mutex);
  from.balance -= amount;
  to.balance += amount;
}

int main() {
  std::thread save([] { transfer(current, savings, 30); });
  std::thread spend([] { transfer(savings, current, 10); });
  save.join();
  spend.join();
  assert(savings.balance + current.balance == 200);
}
