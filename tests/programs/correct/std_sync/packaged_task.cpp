// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A packaged task handed to a thread; a promise that is destroyed unset breaks its future.
#include <cassert>
#include <future>
#include <thread>
#include <utility>

int main() {
  std::packaged_task<int(int)> task([](int x) { return x + 1; });
  std::future<int> result = task.get_future();
  std::future<void> broken;
  {
    std::promise<void> promise;
    broken = promise.get_future();
  }
  std::thread runner(std::move(task), 41);
  assert(result.get() == 42);
  try {
    broken.get();
    assert(false);
  } catch (const std::future_error& error) {
    assert(error.code() == std::future_errc::broken_promise);
  }
  runner.join();
}
