// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// malloc and its family.

#include <malloc.h>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "runtime/base/world.hpp"
#include "runtime/judge/early_memory.hpp"
#include "runtime/judge/race_judge.hpp"
#include "runtime/judge/recorded_values.hpp"
#include "runtime/libc/libc_calls.hpp"
#include "runtime/memory/heap.hpp"

// glibc's own functions, under its internal names: a lookup by the loader would itself allocate.
extern "C" {
void* __libc_malloc(std::size_t);
void __libc_free(void*);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

using namespace thrum;

namespace {

void* or_no_memory(void* block) {
  if (!block) errno = ENOMEM;
  return block;
}

// Earlier uses of a block's memory do not matter to its new user.
void* given(void* block, std::size_t size) {
  if (block && world.running && the_heap.gave_used_block()) {
    current_trace().reuses_blocks = true;
    if (world.judges_races) race_judge().reused(block, size);
  }
  return or_no_memory(block);
}

void release(void* block, std::uint64_t code) {
  if (world.judges_races) {
    race_judge().free(block, code);
  } else if (!world.running) {
    early_memory().forget();
  }
  the_heap.release(block);
}

bool is_power_of_two(std::size_t n) { return n != 0 && (n & (n - 1)) == 0; }

}  // namespace

THRUM_EXPORT void* malloc(std::size_t size) {
  if (!searching()) return __libc_malloc(size);
  return given(the_heap.allocate(size), size);
}

THRUM_EXPORT void free(void* block) {
  if (!searching()) return __libc_free(block);
  release(block, THRUM_CALLER);
}

THRUM_EXPORT void* calloc(std::size_t count, std::size_t size) {
  if (!searching()) return __libc_calloc(count, size);
  std::size_t whole;
  if (__builtin_mul_overflow(count, size, &whole)) return or_no_memory(nullptr);
  void* block = given(the_heap.allocate(whole), whole);
  if (!block) return nullptr;
  note_value_written(block, whole);
  return std::memset(block, 0, whole);
}

THRUM_EXPORT void* realloc(void* block, std::size_t size) {
  if (!searching()) return __libc_realloc(block, size);
  if (!block) return given(the_heap.allocate(size), size);
  if (size == 0) {
    release(block, THRUM_CALLER);
    return nullptr;
  }
  if (world.judges_races) race_judge().check_not_freed(block, THRUM_CALLER);
  void* moved = given(the_heap.allocate(size), size);
  if (!moved) return nullptr;
  std::size_t old = the_heap.size_of(block);
  const std::size_t kept = old < size ? old : size;
  note_value_read(block, kept);
  note_value_written(moved, kept);
  std::memcpy(moved, block, kept);
  release(block, THRUM_CALLER);
  return moved;
}

THRUM_EXPORT void* reallocarray(void* block, std::size_t count, std::size_t size) {
  std::size_t whole;
  if (__builtin_mul_overflow(count, size, &whole)) return or_no_memory(nullptr);
  return realloc(block, whole);
}

THRUM_EXPORT void* memalign(std::size_t alignment, std::size_t size) {
  if (!searching()) return __libc_memalign(alignment, size);
  return given(the_heap.allocate_aligned(alignment, size), size);
}

THRUM_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return memalign(alignment, size);
}

THRUM_EXPORT int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  if (alignment < sizeof(void*) || !is_power_of_two(alignment)) return EINVAL;
  void* memory = memalign(alignment, size);
  if (!memory) return ENOMEM;
  *block = memory;
  posix_memalign_call{THRUM_CALLER}.after(block);
  return 0;
}

THRUM_EXPORT void* valloc(std::size_t size) { return memalign(4096, size); }
THRUM_EXPORT void* pvalloc(std::size_t size) { return memalign(4096, (size + 4095) & ~std::size_t{4095}); }

THRUM_EXPORT std::size_t malloc_usable_size(void* block) {
  if (!searching()) {
    THRUM_REAL(malloc_usable_size);
    return real(block);
  }
  return block ? the_heap.size_of(block) : 0;
}
