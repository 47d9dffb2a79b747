// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --bound preemptions=1
//
// A std::jthread that sleeps until its stop token wakes it, joined by its destructor.
// Only within a bound: a stop state is locked by spinning, and has a reference count besides; a million
// schedules did not exhaust that.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

int main() {
  std::mutex mutex;
  std::condition_variable_any never;
  bool stopped = false;
  {
    std::jthread worker([&](std::stop_token token) {
      std::unique_lock lock(mutex);
      const bool woken = never.wait(lock, token, [] { return false; });
      assert(!woken && token.stop_requested());
      stopped = true;
    });
  }
  assert(stopped);
}
