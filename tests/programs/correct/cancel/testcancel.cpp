// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// pthread_testcancel in a loop; destructors run, thread-specific ones last, and catch (...) hands it on.
#include <pthread.h>

#include <atomic>
#include <cassert>

namespace {

std::atomic<int> order{0};
pthread_key_t key;

struct Local {
  explicit Local(int expected) : expected_(expected) {}
  ~Local() { assert(order++ == expected_); }
  int expected_;
};

thread_local Local per_thread(2);

void* work(void*) {
  pthread_setspecific(key, &key);
  per_thread.expected_ = 2;
  Local outer(1);
  try {
    Local inner(0);
    for (;;) pthread_testcancel();
  } catch (...) {
    assert(order == 1);
    throw;
  }
}

}  // namespace

int main() {
  pthread_key_create(&key, [](void*) { assert(order++ == 3); });
  pthread_t thread;
  pthread_create(&thread, nullptr, work, nullptr);
  pthread_cancel(thread);
  void* result;
  pthread_join(thread, &result);
  assert(result == PTHREAD_CANCELED);
  assert(order == 4);
}
