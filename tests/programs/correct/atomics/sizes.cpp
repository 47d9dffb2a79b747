// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// case 8: exhausted
// case 16: exhausted
// case 32: exhausted
// case 64: exhausted
//
// Every operation of the standard on atomics of 8, 16, 32 and 64 bits. Each thread works on its own
// bits, so that the result does not depend on the schedule.
#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <thread>

template <class T>
struct Cell {
  std::atomic<T> bits{0};
  std::atomic<T> sum{0};
  std::atomic<T> last{0};
};

template <class T>
void work(Cell<T>& cell, T bit) {
  cell.bits.fetch_or(bit);
  cell.bits.fetch_xor(static_cast<T>(bit << 1));
  cell.bits.fetch_and(static_cast<T>(~bit));
  cell.sum.fetch_add(static_cast<T>(5));
  cell.sum.fetch_sub(static_cast<T>(2));
  T expected = cell.sum.load();
  while (!cell.sum.compare_exchange_weak(expected, static_cast<T>(expected + 1))) {
  }
  cell.last.exchange(bit);
  cell.last.store(static_cast<T>(bit | 1));
}

template <class T>
void check() {
  Cell<T> cell;
  std::thread first([&] { work<T>(cell, 1); });
  std::thread second([&] { work<T>(cell, 16); });
  first.join();
  second.join();
  assert(cell.bits == 2 + 32);
  assert(cell.sum == 8);
  const T last = cell.last;
  assert(last == 1 || last == 17);
}

int main(int, char** arguments) {
  switch (std::atoi(arguments[1])) {
    case 8: check<std::uint8_t>(); break;
    case 16: check<std::uint16_t>(); break;
    case 32: check<std::uint32_t>(); break;
    case 64: check<std::uint64_t>(); break;
    default: return 125;
  }
}
