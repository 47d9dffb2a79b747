// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -O0
// args: --strategy dpor
// expect: bug assertion
//
// A thread gives up behind three rounds, which it counts in memory: none of them comes to nothing. Another one
// polls and writes each time what is there already, so that executions are watched for idle rounds.
#include <pthread.h>

#include <atomic>
#include <cassert>

static std::atomic<int> flag;
int last;
int tries;

static void* give_up(void* unused) {
  while (flag.load() == 0) {
    if (++tries == 3) break;
  }
  assert(tries != 3);
  return unused;
}

int main() {
  pthread_t thread;
  pthread_create(&thread, nullptr, give_up, nullptr);
  do {
    last = 0;
  } while (flag.load() == 0);
  pthread_join(thread, nullptr);
}
