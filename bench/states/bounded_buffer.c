// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bounded buffer with producers and consumers, for ever: places and items are counted by semaphores.
// models/bounded_buffer.pml is the same for SPIN.
//
// threads: 5
// states: 23477
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#ifndef N
#define N 2
#endif
enum { kSize = 3 };

static sem_t places, items;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int buffer[kSize], first, count;

static void* produce(void* argument) {
  for (;;) {
    sem_wait(&places);
    pthread_mutex_lock(&lock);
    assert(count < kSize);
    buffer[(first + count++) % kSize] = 1 + (int)(long)argument;
    pthread_mutex_unlock(&lock);
    sem_post(&items);
  }
  return argument;
}

static void* consume(void* argument) {
  for (;;) {
    sem_wait(&items);
    pthread_mutex_lock(&lock);
    assert(count > 0 && buffer[first] != 0);
    buffer[first] = 0;
    first = (first + 1) % kSize;
    --count;
    pthread_mutex_unlock(&lock);
    sem_post(&places);
  }
  return argument;
}

int main(void) {
  pthread_t threads[2 * N];
  sem_init(&places, 0, kSize);
  sem_init(&items, 0, 0);
  for (long i = 0; i < N; ++i) pthread_create(&threads[i], 0, produce, (void*)i);
  for (long i = 0; i < N; ++i) pthread_create(&threads[N + i], 0, consume, (void*)i);
  for (int i = 0; i < 2 * N; ++i) pthread_join(threads[i], 0);
}
