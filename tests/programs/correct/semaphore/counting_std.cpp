// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --bound preemptions=1
// plain: no
//
// std::counting_semaphore with two permits among three threads: never more than two inside.
// Only within a bound, since from 3 preemptions on libstdc++'s own semaphore loses a wake-up (seen with
// GCC 12's): it waits for a change of the number that it saw first, which may have come back by then. By
// itself the program hangs for that once in some forty runs.
#include <atomic>
#include <cassert>
#include <semaphore>
#include <thread>
#include <vector>

std::counting_semaphore<2> permits(2);
std::atomic<int> inside{0};

void enter() {
  permits.acquire();
  assert(++inside <= 2);
  --inside;
  permits.release();
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(enter);
  for (std::thread& thread : threads) thread.join();
}
