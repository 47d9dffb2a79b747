// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two transfers lock the same two accounts in opposite orders.
#include <mutex>
#include <thread>

struct Account {
  std::mutex mutex;
  int balance = 100;
};

void transfer(Account& from, Account& to, int amount) {
  std::lock_guard lock_from(from.mutex);
  std::lock_guard lock_to(to.mutex);
  from.balance -= amount;
  to.balance += amount;
}

int main() {
  Account savings;
  Account current;
  std::thread first([&] { transfer(savings, current, 10); });
  std::thread second([&] { transfer(current, savings, 20); });
  first.join();
  second.join();
}
