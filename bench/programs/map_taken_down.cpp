// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bound: none
// executions: 28
//
// The mutex counter (mutex_counter.cpp) with a map of 20,000 entries that main makes before its threads and
// takes down behind them, as tests do whose set-up is local to them.
#include <atomic>
#include <cassert>
#include <map>
#include <mutex>
#include <thread>

std::atomic<int> started{0};
std::mutex mutex;
int counter = 0;

void count() {
  started.fetch_add(1);
  for (int i = 0; i < 2; ++i) {
    std::lock_guard guard(mutex);
    ++counter;
  }
}

int main() {
  std::map<int, int> squares;
  for (int i = 0; i < 20'000; ++i) squares.emplace(i, i * i);
  std::thread first(count);
  std::thread second(count);
  first.join();
  second.join();
  assert(counter == 4);
  assert(squares.at(7) == 49);
}
