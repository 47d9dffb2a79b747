// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// Two binary semaphores pass the turn to and fro.
#include <cassert>
#include <semaphore>
#include <thread>

std::binary_semaphore ping(1);
std::binary_semaphore pong(0);
int turns = 0;

int main() {
  std::thread first([] {
    ping.acquire();
    assert(turns == 0);
    ++turns;
    pong.release();
  });
  std::thread second([] {
    pong.acquire();
    assert(turns == 1);
    ++turns;
    ping.release();
  });
  first.join();
  second.join();
  assert(turns == 2);
}
