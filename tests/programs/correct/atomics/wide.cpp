// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// Compare-exchange of 128 bits: both halves change together.
#include <cassert>
#include <thread>

using Wide = unsigned __int128;

alignas(16) Wide pair = 0;

__attribute__((target("cx16"))) void increment_both() {
  constexpr Wide kOneInBothHalves = (Wide{1} << 64) | 1;
  Wide seen = __sync_val_compare_and_swap(&pair, Wide{0}, Wide{0});
  for (;;) {
    assert(static_cast<unsigned long>(seen) == static_cast<unsigned long>(seen >> 64));
    const Wide before = __sync_val_compare_and_swap(&pair, seen, seen + kOneInBothHalves);
    if (before == seen) return;
    seen = before;
  }
}

int main() {
  std::thread first(increment_both);
  std::thread second(increment_both);
  first.join();
  second.join();
  assert(static_cast<unsigned long>(pair) == 2);
}
