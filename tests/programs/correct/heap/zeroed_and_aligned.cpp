// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// calloc gives zeros also where the block was used before; aligned_alloc and aligned new are
// aligned.
#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

struct alignas(128) Line {
  char bytes[128];
};

std::atomic<int> x{0};

void work() {
  void* used = std::malloc(256);
  std::memset(used, 0xff, 256);
  std::free(used);
  x.fetch_add(1);
  auto* zeroed = static_cast<unsigned char*>(std::calloc(16, 16));
  for (int i = 0; i < 256; ++i) assert(zeroed[i] == 0);
  void* aligned = std::aligned_alloc(64, 128);
  assert(reinterpret_cast<std::uintptr_t>(aligned) % 64 == 0);
  const auto line = std::make_unique<Line>();
  assert(reinterpret_cast<std::uintptr_t>(line.get()) % 128 == 0);
  std::free(zeroed);
  std::free(aligned);
}

int main() {
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
}
