// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 2
// count dpor: 2
// compilers: same
//
// A test as a closure: two threads lock a mutex, in two orders. What main does outside of the test is done
// once, before the search. A child's start and end are no choices.
#include <thrum/thrum.hpp>

#include <cassert>
#include <mutex>
#include <thread>

static_assert(THRUM_VERSION ==
              10'000 * THRUM_VERSION_MAJOR + 100 * THRUM_VERSION_MINOR + THRUM_VERSION_PATCH);
#if THRUM_VERSION < 100
#error "thrum::check came with version 0.1.0"
#endif

int main() {
  int outside = 0;
  for (int i = 0; i < 1000; ++i) ++outside;
  thrum::check("two orders", [&] {
    ++outside;
    std::mutex mutex;
    int sum = 0;
    std::thread other([&] {
      std::lock_guard guard(mutex);
      sum += 2;
    });
    {
      std::lock_guard guard(mutex);
      sum += 1;
    }
    other.join();
    assert(sum == 3 && outside == 1001);
  });
  assert(outside == 1000 || !thrum::is_active());
}
