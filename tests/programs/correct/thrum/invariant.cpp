// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// compilers: both
//
// Money is paid under a lock, so that the sum is the same between any two steps. The invariant reads plain data
// that other threads write, which is no data race.
#include <thrum/thrum.hpp>

#include <mutex>
#include <thread>

std::mutex mutex;
int here = 10;
int there = 0;

void pay() {
  std::lock_guard lock(mutex);
  --here;
  ++there;
}

int none_is_lost(void*) { return here + there == 10; }

int main() {
  const unsigned long all = thrum_invariant("none is lost", none_is_lost, nullptr);
  thrum::Invariant debts("there are no debts", [] { return here >= 0; });
  std::thread one(pay);
  std::thread other(pay);
  one.join();
  other.join();
  thrum_invariant_end(all);
}
