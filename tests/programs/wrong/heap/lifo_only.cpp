// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=0
//
// A program that takes an address for a name. Under --heap lifo the block that a thread has just
// freed is given to it again; under fresh it never is (tests/programs/correct/heap/fresh.cpp).
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
    assert(reinterpret_cast<std::uintptr_t>(second) != name);
    std::free(second);
  });
  worker.join();
}
