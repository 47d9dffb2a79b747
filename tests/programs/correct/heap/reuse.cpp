// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// Several threads allocate, free and allocate again, blocks of several sizes and by several
// functions: nobody is given a block that another one holds.
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

std::atomic<int> x{0};

void work(char mark) {
  for (std::size_t size = 16; size <= 4096; size *= 16) {
    char* block = static_cast<char*>(std::malloc(size));
    std::memset(block, mark, size);
    x.fetch_add(1);
    block = static_cast<char*>(std::realloc(block, 2 * size));
    for (std::size_t i = 0; i < size; ++i) assert(block[i] == mark);
    const auto other = std::make_unique<std::vector<char>>(size, mark);
    x.fetch_add(1);
    assert((*other)[size - 1] == mark);
    std::free(block);
  }
}

int main() {
  std::thread first(work, 'a');
  std::thread second(work, 'b');
  first.join();
  second.join();
}
