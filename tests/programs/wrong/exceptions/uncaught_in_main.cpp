// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug uncaught-exception preemptions=0
// args: --bound preemptions=1
//
// The exception of a task comes out of its future in main, where nobody catches it.
#include <future>
#include <stdexcept>

int main() {
  std::future<void> result = std::async(std::launch::async, [] { throw std::logic_error("task"); });
  result.get();
}
