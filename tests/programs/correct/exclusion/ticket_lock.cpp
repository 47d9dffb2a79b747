// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A ticket lock between three threads.
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

std::atomic<unsigned> next_ticket{0};
std::atomic<unsigned> now_serving{0};
int inside = 0;

void enter() {
  const unsigned mine = next_ticket.fetch_add(1);
  while (now_serving.load() != mine) {
  }
  assert(++inside == 1);
  --inside;
  now_serving.fetch_add(1);
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(enter);
  for (std::thread& thread : threads) thread.join();
}
