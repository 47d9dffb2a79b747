// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// std::atomic<std::shared_ptr>: a reader keeps the object alive that a writer replaces.
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

std::atomic<std::shared_ptr<int>> current;

int main() {
  current = std::make_shared<int>(1);
  std::thread writer([] { current = std::make_shared<int>(2); });
  std::thread reader([] {
    const std::shared_ptr<int> seen = current.load();
    assert(*seen == 1 || *seen == 2);
  });
  writer.join();
  reader.join();
  assert(*current.load() == 2);
}
