// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two withdrawals both find enough money.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> balance{100};

void withdraw(int amount) {
  if (balance >= amount) balance -= amount;
}

int main() {
  std::thread rent(withdraw, 80);
  std::thread food(withdraw, 60);
  rent.join();
  food.join();
  assert(balance >= 0 && "the account is overdrawn");
}
