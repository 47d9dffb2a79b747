// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A transfer is two steps, each under the lock: between them money is missing, though no thread ever fails.
#include <thrum/thrum.hpp>

#include <mutex>
#include <thread>

std::mutex mutex;
int checking = 10;
int savings = 0;

void move_in(int& account, int amount) {
  std::lock_guard lock(mutex);
  account += amount;
}

int main() {
  thrum::Invariant nothing_is_lost("nothing is lost", [] { return checking + savings == 10; });
  std::thread transfer([] {
    move_in(checking, -3);
    move_in(savings, 3);
  });
  transfer.join();
}
