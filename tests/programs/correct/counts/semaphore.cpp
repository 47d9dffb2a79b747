// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 5
// compilers: same
//
// One thread posts a semaphore n = 3 times, another waits for it 3 times. A wait is granted only
// where more posts than waits came before, so the sequences are ballot sequences: the Catalan
// number C(6,3) / 4 = 5.
#include <semaphore.h>

#include <thread>

int main() {
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  std::thread producer([&] {
    for (int i = 0; i < 3; ++i) sem_post(&semaphore);
  });
  std::thread consumer([&] {
    for (int i = 0; i < 3; ++i) sem_wait(&semaphore);
  });
  producer.join();
  consumer.join();
  sem_destroy(&semaphore);
}
