// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=0
//
// 200 threads at a time, in a chain; the last one fails.
#include <semaphore.h>

#include <array>
#include <cassert>
#include <thread>

constexpr std::size_t kThreads = 200;

std::array<sem_t, kThreads + 1> turns;

void take_turn(std::size_t number) {
  sem_wait(&turns[number]);
  assert(number < kThreads - 1);
  sem_post(&turns[number + 1]);
}

int main() {
  for (sem_t& semaphore : turns) sem_init(&semaphore, 0, 0);
  std::array<std::thread, kThreads> threads;
  for (std::size_t i = 0; i < kThreads; ++i) threads[i] = std::thread(take_turn, i);
  sem_post(&turns[0]);
  for (std::thread& thread : threads) thread.join();
}
