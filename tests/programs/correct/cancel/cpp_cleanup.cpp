// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// The C++ form of pthread_cleanup_push, pthread_exit among cleanup handlers, and cancelling oneself.
#include <pthread.h>

#include <atomic>
#include <cassert>

namespace {

std::atomic<int> cleaned{0};

void clean(void* amount) { cleaned += *static_cast<int*>(amount); }

void* cancel_self(void* one) {
  pthread_cleanup_push(clean, one);
  pthread_cancel(pthread_self());
  pthread_testcancel();
  assert(false);
  pthread_cleanup_pop(0);
  return nullptr;
}

void* leave(void* one) {
  pthread_cleanup_push(clean, one);
  pthread_exit(one);
  pthread_cleanup_pop(0);
  return nullptr;
}

void* pop(void* one) {
  pthread_cleanup_push(clean, one);
  pthread_cleanup_pop(1);
  pthread_cleanup_push(clean, one);
  pthread_cleanup_pop(0);
  return one;
}

}  // namespace

int main() {
  int amount = 1;
  pthread_t threads[3];
  void* (*const bodies[])(void*) = {cancel_self, leave, pop};
  void* results[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], nullptr, bodies[i], &amount);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], &results[i]);
  assert(results[0] == PTHREAD_CANCELED && results[1] == &amount && results[2] == &amount);
  assert(cleaned == 3);
}
