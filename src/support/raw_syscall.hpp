// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// System calls of the runtime itself. They do not go through libc, whose state belongs to the program under
// test and is rolled back.
#pragma once

#include <sys/syscall.h>
#include <string>

namespace thrum {

// Returns the kernel's result: a negative error number if the call fails.
inline long raw_syscall(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

// Arguments that are addresses.
inline long word(const volatile void* pointer) { return reinterpret_cast<long>(pointer); }
inline long word(const std::string& text) { return word(text.c_str()); }

}  // namespace thrum
