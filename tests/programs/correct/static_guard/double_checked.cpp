// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// compilers: same
//
// Double-checked locking, with an atomic pointer.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

struct Service {
  int port = 80;
};

std::atomic<Service*> instance{nullptr};
std::mutex mutex;
int made = 0;

Service& service() {
  Service* seen = instance.load(std::memory_order_acquire);
  if (seen == nullptr) {
    std::lock_guard guard(mutex);
    seen = instance.load(std::memory_order_relaxed);
    if (seen == nullptr) {
      static Service only;
      ++made;
      seen = &only;
      instance.store(seen, std::memory_order_release);
    }
  }
  return *seen;
}

int main() {
  const auto use = [] { assert(service().port == 80); };
  std::thread first(use);
  std::thread second(use);
  first.join();
  second.join();
  assert(made == 1);
}
