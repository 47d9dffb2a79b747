// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layout of glibc's jump buffers on x86-64.
#pragma once

#include <csetjmp>
#include <cstdint>

namespace thrum {

// The layout that <pthread.h> uses for pthread_cleanup_push in C.
struct CleanupBuffer {
  struct {
    __jmp_buf registers;
    int mask_was_saved;
  } jump[1];
  CleanupBuffer* outer;
  int type_before;  // the cancellation type before, if the buffer sets another
  void* unused[2];
};

// glibc hides the stack pointer with a secret of the process, at fs:0x30.
inline std::uint64_t stack_pointer_of(const void* jump_buffer) {
  constexpr int kStackPointer = 6;
  constexpr int kRotated = 0x11;
  auto hidden = static_cast<const std::uint64_t*>(jump_buffer)[kStackPointer];
  std::uint64_t secret;
  asm("mov %%fs:0x30, %0" : "=r"(secret));
  return (hidden >> kRotated | hidden << (64 - kRotated)) ^ secret;
}

}  // namespace thrum
