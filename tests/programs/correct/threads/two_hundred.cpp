// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 1
//
// 200 threads at a time, in a chain: each waits for a semaphore and posts the next one's, so that
// there is one schedule only.
#include <semaphore.h>

#include <array>
#include <cassert>
#include <thread>

constexpr std::size_t kThreads = 200;

std::array<sem_t, kThreads + 1> turns;
std::size_t turn = 0;

void take_turn(std::size_t number) {
  sem_wait(&turns[number]);
  assert(turn == number);
  ++turn;
  sem_post(&turns[number + 1]);
}

int main() {
  for (sem_t& semaphore : turns) sem_init(&semaphore, 0, 0);
  std::array<std::thread, kThreads> threads;
  for (std::size_t i = 0; i < kThreads; ++i) threads[i] = std::thread(take_turn, i);
  sem_post(&turns[0]);
  for (std::thread& thread : threads) thread.join();
  assert(turn == kThreads);
}
