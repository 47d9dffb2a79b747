// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program itself finds that a count is wrong, and says so by its exit status.
#include <atomic>
#include <cstdio>
#include <thread>

std::atomic<int> visits{0};

void visit() { visits = visits + 1; }

int main() {
  std::thread first(visit);
  std::thread second(visit);
  first.join();
  second.join();
  std::printf("%d visits\n", visits.load());
  return visits == 2 ? 0 : 1;
}
