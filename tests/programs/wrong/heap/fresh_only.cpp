// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=0
// args: --heap fresh
//
// A program that relies on being given the same block again. It fails under --heap fresh only
// (tests/programs/correct/heap/lifo_is_default.cpp).
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <thread>

int main() {
  std::thread worker([] {
    void* first = std::malloc(48);
    const auto name = reinterpret_cast<std::uintptr_t>(first);
    std::free(first);
    void* second = std::malloc(48);
    assert(reinterpret_cast<std::uintptr_t>(second) == name);
    std::free(second);
  });
  worker.join();
}
