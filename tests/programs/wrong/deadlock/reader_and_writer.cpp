// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug deadlock preemptions=1
//
// A reader wants the mutex of a writer who waits for the reader to leave.
#include <pthread.h>

#include <thread>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
pthread_mutex_t writer = PTHREAD_MUTEX_INITIALIZER;

void first_reader() {
  pthread_rwlock_rdlock(&lock);
  pthread_mutex_lock(&writer);
  pthread_mutex_unlock(&writer);
  pthread_rwlock_unlock(&lock);
}

void writer_first() {
  pthread_mutex_lock(&writer);
  pthread_rwlock_wrlock(&lock);
  pthread_rwlock_unlock(&lock);
  pthread_mutex_unlock(&writer);
}

int main() {
  std::thread first(first_reader);
  std::thread second(writer_first);
  first.join();
  second.join();
}
