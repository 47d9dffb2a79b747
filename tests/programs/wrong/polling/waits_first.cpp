// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// args: --strategy dpor
// expect: bug assertion preemptions=2
//
// Main's first operation waits. Where such reads are not enabled, that is no choice; but it is one when the
// schedule of the bug is run again with all rounds.
#include <pthread.h>

#include <atomic>
#include <cassert>

static std::atomic<int> number;

static void* change(void* unused) {
  number.store(1);
  number.store(0);
  number.store(1);
  return unused;
}

int main() {
  pthread_t thread;
  pthread_create(&thread, nullptr, change, nullptr);
  while (number.load() != 1) {
  }
  number.fetch_add(1);
  const int before = number.fetch_sub(1);
  assert(before != 1);
  pthread_join(thread, nullptr);
}
