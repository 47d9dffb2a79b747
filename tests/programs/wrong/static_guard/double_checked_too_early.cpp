// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=1
//
// Double-checked locking that publishes the object before it is complete.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

struct Service {
  std::atomic<int> port{0};
};

Service only;
std::atomic<Service*> instance{nullptr};
std::mutex mutex;

Service& service() {
  if (instance.load() == nullptr) {
    std::lock_guard guard(mutex);
    if (instance.load() == nullptr) {
      instance.store(&only);
      only.port = 80;
    }
  }
  return *instance.load();
}

int main() {
  const auto use = [] { assert(service().port == 80); };
  std::thread first(use);
  std::thread second(use);
  first.join();
  second.join();
}
