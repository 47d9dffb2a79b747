// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 14
// compilers: same
//
// Two readers and a writer with a section each (lock and unlock) on a read-write lock that prefers
// readers. The readers' sections may overlap, the writer's with none. Writer first or last: C(4,2)
// = 6 interleavings of the readers each; between the two readers: 2 orders. Together 14.
#include <pthread.h>

#include <thread>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int main() {
  const auto read = [] {
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
  };
  std::thread first(read);
  std::thread second(read);
  std::thread writer([] {
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
  });
  first.join();
  second.join();
  writer.join();
}
