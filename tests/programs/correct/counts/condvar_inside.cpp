// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 2
// count icb 0: 2
// compilers: same
//
// The producer signals while it holds the mutex. Whoever locks first decides everything: the other
// thread is blocked until the unlock, or until the wait has released the mutex. 2 executions, no
// preemption in either.
#include <pthread.h>

#include <thread>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
bool ready = false;

int main() {
  std::thread producer([] {
    pthread_mutex_lock(&mutex);
    ready = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
  });
  std::thread consumer([] {
    pthread_mutex_lock(&mutex);
    while (!ready) pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
  });
  producer.join();
  consumer.join();
}
