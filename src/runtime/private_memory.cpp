// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime's own memory: outside every snapshot, never rolled back. The runtime's operator new and delete
// are local to the library (exports.map), so that the program's are untouched.
//
// A block of up to kLargest bytes comes from a free list of its power of two; lists are filled from chunks
// and memory goes back to them only. Only one system thread ever runs in here.

#include <sys/mman.h>
#include <bit>
#include <cstdint>
#include <new>

#include "runtime/raw_syscall.hpp"
#include "support/check.hpp"

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr std::size_t kSmallest = 32;
constexpr int kClasses = 64;

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

// The size is kept in front of the block; 16 bytes, so that the block stays aligned.
struct Header {
  std::uint64_t size_class;
  std::uint64_t unused;
};

void* allocate(std::size_t size) {
  std::size_t whole = std::bit_ceil(size + sizeof(Header) < kSmallest ? kSmallest : size + sizeof(Header));
  auto size_class = static_cast<std::uint64_t>(std::countr_zero(whole));
  void* place;
  if (FreeBlock* block = g_free[size_class]) {
    g_free[size_class] = block->next;
    place = block;
  } else if (whole >= kChunk) {
    place = map(whole);
  } else {
    if (g_chunk_left < whole) {
      g_chunk = map(kChunk);
      g_chunk_left = kChunk;
    }
    place = g_chunk;
    g_chunk += whole;
    g_chunk_left -= whole;
  }
  auto* header = static_cast<Header*>(place);
  header->size_class = size_class;
  return header + 1;
}

void release(void* pointer) {
  if (!pointer) return;
  Header* header = static_cast<Header*>(pointer) - 1;
  std::uint64_t size_class = header->size_class;
  auto* block = reinterpret_cast<FreeBlock*>(header);
  block->next = g_free[size_class];
  g_free[size_class] = block;
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void operator delete(void* pointer) noexcept { release(pointer); }
void operator delete[](void* pointer) noexcept { release(pointer); }
void operator delete(void* pointer, std::size_t) noexcept { release(pointer); }
void operator delete[](void* pointer, std::size_t) noexcept { release(pointer); }
