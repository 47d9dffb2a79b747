// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// std::async with a value and with an exception.
#include <cassert>
#include <future>
#include <stdexcept>

int main() {
  std::future<int> good = std::async(std::launch::async, [] { return 42; });
  std::future<int> bad = std::async(std::launch::async, []() -> int { throw std::runtime_error("no"); });
  assert(good.get() == 42);
  bool thrown = false;
  try {
    bad.get();
  } catch (const std::runtime_error&) {
    thrown = true;
  }
  assert(thrown);
}
