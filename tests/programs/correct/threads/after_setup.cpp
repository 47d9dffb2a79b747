// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 2
//
// Much work before the first thread, which is part of the snapshot and not done again. One
// operation in each of two threads: 2.
#include <atomic>
#include <cassert>
#include <map>
#include <string>
#include <thread>

std::atomic<std::size_t> sum{0};

int main() {
  std::map<int, std::string> table;
  for (int i = 0; i < 20000; ++i) table[i] = std::to_string(i);
  const auto look_up = [&](int key) { sum += table.at(key).size(); };
  std::thread first(look_up, 7);
  std::thread second(look_up, 12345);
  first.join();
  second.join();
  assert(sum == 6);
}
