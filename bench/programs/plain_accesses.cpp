// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bound: none
// executions: 1
// accesses: 20480
//
// One thread, which reads and writes each of 1,024 numbers ten times; nothing else happens.
#include <thread>

int numbers[1024];

int main() {
  std::thread([] {
    for (int round = 0; round < 10; ++round) {
      for (int& number : numbers) ++number;
    }
  }).join();
}
