// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mmap and its family. The snapshot needs the mappings made before the first choice. In an execution the
// calls would be caught anyway; here they cost less.

#include <sys/mman.h>
#include <cerrno>
#include <cstdarg>

#include "runtime/base/world.hpp"
#include "runtime/intercept/intercept.hpp"
#include "runtime/judge/race_judge.hpp"
#include "runtime/memory/mappings.hpp"
#include "support/raw_syscall.hpp"

using namespace thrum;

namespace {

long make(long number, long a, long b, long c = 0, long d = 0, long e = 0, long f = 0) {
  SystemCall call{number, {a, b, c, d, e, f}};
  long result;
  if (!searching()) {
    result = raw_syscall(number, a, b, c, d, e, f);
  } else if (world.running) {
    world.wrote = true;
    result = answer_system_call(call);
  } else if (!mappings().answer_before(call, result)) {
    result = raw_syscall(number, a, b, c, d, e, f);
  }
  if (!is_error(result)) return result;
  errno = static_cast<int>(-result);
  return -1;
}

void* map(void* address, std::size_t size, int protection, int flags, int file, off_t offset) {
  return reinterpret_cast<void*>(make(SYS_mmap, reinterpret_cast<long>(address), static_cast<long>(size),
                                      protection, flags, file, offset));
}

}  // namespace

THRUM_EXPORT void* mmap(void* address, std::size_t size, int protection, int flags, int file, off_t offset) {
  return map(address, size, protection, flags, file, offset);
}
THRUM_EXPORT void* mmap64(void* address, std::size_t size, int protection, int flags, int file,
                          off64_t offset) {
  return map(address, size, protection, flags, file, offset);
}
THRUM_EXPORT int munmap(void* address, std::size_t size) {
  if (world.judges_races) race_judge().unmap(address, size, THRUM_CALLER);
  return static_cast<int>(make(SYS_munmap, reinterpret_cast<long>(address), static_cast<long>(size)));
}
THRUM_EXPORT int mprotect(void* address, std::size_t size, int protection) {
  return static_cast<int>(
      make(SYS_mprotect, reinterpret_cast<long>(address), static_cast<long>(size), protection));
}
THRUM_EXPORT int madvise(void* address, std::size_t size, int advice) {
  return static_cast<int>(
      make(SYS_madvise, reinterpret_cast<long>(address), static_cast<long>(size), advice));
}
THRUM_EXPORT void* mremap(void* address, std::size_t old_size, std::size_t size, int flags, ...) {
  va_list list;
  va_start(list, flags);
  void* to = va_arg(list, void*);
  va_end(list);
  return reinterpret_cast<void*>(make(SYS_mremap, reinterpret_cast<long>(address),
                                      static_cast<long>(old_size), static_cast<long>(size), flags,
                                      reinterpret_cast<long>(to)));
}
