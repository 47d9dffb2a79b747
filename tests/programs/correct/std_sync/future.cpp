// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A promise set by one thread, its shared future read by two.
#include <cassert>
#include <future>
#include <thread>

int main() {
  std::promise<int> promise;
  std::shared_future<int> future = promise.get_future().share();
  std::thread reader([future] { assert(future.get() == 42); });
  std::thread writer([&] { promise.set_value(42); });
  assert(future.get() == 42);
  reader.join();
  writer.join();
}
