// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime's own memory. No snapshot holds it, so it is never rolled back. The runtime's operator new and
// delete are local to the library (exports.map); the program's are untouched.
//
// Blocks begin at cache lines. A released block goes to the free list of its size: a multiple of the line up
// to a page, then a power of two. Only one system thread ever runs this code.

#include <sys/mman.h>
#include <bit>
#include <cstdint>
#include <new>

#include "support/check.hpp"
#include "support/raw_syscall.hpp"

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr std::size_t kLine = 64;
constexpr std::size_t kLinesMax = 64;  // of a block whose size is no power of two
constexpr std::size_t kClasses = kLinesMax + 64;

struct FreeBlock {
  FreeBlock* next;
};

FreeBlock* g_free[kClasses];
char* g_chunk = nullptr;
std::size_t g_chunk_left = 0;

char* map(std::size_t size) {
  long result = thrum::raw_syscall(SYS_mmap, 0, static_cast<long>(size), PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  THRUM_CHECK(result > 0);
  return reinterpret_cast<char*>(result);
}

// Stands in front of the block, at the end of the preceding cache line.
struct Header {
  std::uint64_t size_class;
  std::uint64_t unused;
};

void* allocate(std::size_t size) {
  std::size_t lines = (size + sizeof(Header) + kLine - 1) / kLine;
  std::size_t size_class = lines;
  if (lines > kLinesMax) {
    lines = std::bit_ceil(lines);
    size_class = kLinesMax + static_cast<std::size_t>(std::countr_zero(lines));
  }
  if (FreeBlock* block = g_free[size_class]) {
    g_free[size_class] = block->next;
    return block;
  }
  std::size_t whole = lines * kLine;
  char* place;
  if (whole + kLine > kChunk) {
    place = map(whole + kLine);
  } else {
    if (g_chunk_left < whole + kLine) {
      g_chunk = map(kChunk);
      g_chunk_left = kChunk;
    }
    place = g_chunk;
    g_chunk += whole;
    g_chunk_left -= whole;
  }
  char* block = place + kLine;
  (reinterpret_cast<Header*>(block) - 1)->size_class = size_class;
  return block;
}

void* allocate_aligned(std::size_t size, std::align_val_t alignment) {
  THRUM_CHECK(static_cast<std::size_t>(alignment) <= kLine);
  return allocate(size);
}

void release(void* pointer) {
  if (!pointer) return;
  std::uint64_t size_class = (static_cast<Header*>(pointer) - 1)->size_class;
  auto* block = static_cast<FreeBlock*>(pointer);
  block->next = g_free[size_class];
  g_free[size_class] = block;
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, std::align_val_t alignment) { return allocate_aligned(size, alignment); }
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate_aligned(size, alignment);
}
void operator delete(void* pointer) noexcept { release(pointer); }
void operator delete[](void* pointer) noexcept { release(pointer); }
void operator delete(void* pointer, std::size_t) noexcept { release(pointer); }
void operator delete[](void* pointer, std::size_t) noexcept { release(pointer); }
void operator delete(void* pointer, std::align_val_t) noexcept { release(pointer); }
void operator delete[](void* pointer, std::align_val_t) noexcept { release(pointer); }
void operator delete(void* pointer, std::size_t, std::align_val_t) noexcept { release(pointer); }
void operator delete[](void* pointer, std::size_t, std::align_val_t) noexcept { release(pointer); }
