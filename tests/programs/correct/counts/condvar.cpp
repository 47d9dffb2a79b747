// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 4
// compilers: same
//
// The producer locks, sets a flag, unlocks and signals: L U S. The consumer locks, waits while the
// flag is not set, and unlocks. If the producer locks first, the consumer finds the flag set, and
// its lock and unlock interleave with S: C(3,1) = 3. Otherwise it sleeps, and wakes and reacquires
// after S: 1. Together 4.
#include <pthread.h>

#include <thread>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
bool ready = false;

int main() {
  std::thread producer([] {
    pthread_mutex_lock(&mutex);
    ready = true;
    pthread_mutex_unlock(&mutex);
    pthread_cond_signal(&changed);
  });
  std::thread consumer([] {
    pthread_mutex_lock(&mutex);
    while (!ready) pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
  });
  producer.join();
  consumer.join();
}
