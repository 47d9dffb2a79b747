// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 6
// compilers: same
//
// One of three values in main, one of two in a thread that it then joins: 3 * 2 = 6.
#include <thrum/thrum.h>

#include <cassert>
#include <thread>

int main() {
  unsigned first = thrum_choose(3);
  unsigned second = 9;
  std::thread([&] { second = thrum_choose(2); }).join();
  assert(first < 3 && second < 2);
}
