// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// compilers: same
//
// Two threads drop their references; the object dies once, after both.
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>
#include <utility>

std::atomic<int> destroyed{0};

struct Object {
  ~Object() { ++destroyed; }
};

int main() {
  auto object = std::make_shared<Object>();
  std::thread first([copy = object]() mutable { copy.reset(); });
  std::thread second([copy = std::move(object)]() mutable {
    assert(destroyed == 0);
    copy.reset();
  });
  first.join();
  second.join();
  assert(destroyed == 1);
}
