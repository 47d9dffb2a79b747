// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug crash preemptions=0
//
// A catch (...) that does not rethrow swallows a cancellation, which ends the process.
#include <pthread.h>
#include <unistd.h>

namespace {

void* work(void*) {
  try {
    for (;;) sleep(1);
  } catch (...) {
  }
  return nullptr;
}

}  // namespace

int main() {
  pthread_t thread;
  pthread_create(&thread, nullptr, work, nullptr);
  pthread_cancel(thread);
  pthread_join(thread, nullptr);
}
