// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 6
// count icb 0: 2
// compilers: same
//
// Two threads increment by a load and a compare-exchange, which is done again where it fails. Loads
// a, b and exchanges A, B: nothing fails in aAbB and bBaA. Where both load first, in 2 orders, one
// of the two exchanges first, and the other's fails and is done again with nobody else left: 2 * 2.
// Together 6.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> x;

int main() {
  const auto increment = [] {
    int seen = x.load();
    while (!x.compare_exchange_strong(seen, seen + 1)) {
    }
  };
  std::thread first(increment);
  std::thread second(increment);
  first.join();
  second.join();
  assert(x.load() == 2);
}
