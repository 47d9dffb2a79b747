// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls on files that are cancellation points, and otherwise only read and write memory. libc's own functions
// do the work; system_calls.cpp sees what reaches the kernel. The rows POINT of libc_calls.def.
//
// Each call first tests for a cancellation. This is a visible operation, except in programs that cancel no
// threads.

#include <fcntl.h>
#include <cstdarg>

#include "runtime/intercept/intercept.hpp"
#include "runtime/libc/libc_calls.hpp"
#include "runtime/threads/cancellation.hpp"

using namespace thrum;

namespace {

void test_for_cancellation(std::uint64_t code) {
  static const bool cancels = imported("pthread_cancel");
  if (!cancels || !searching()) return;
  Thread& me = scheduler().current();
  if (world.running && me.atomic_depth == 0) {
    scheduler().arrive(Operation::cancel_test, cancel_object(me), 0, code);
    scheduler().done(Scheduler::Effect::none, me.cancellation.pending ? 1 : 0);
  }
  cancellation_point(code);
}

// The third argument, if the flags say that it exists.
mode_t mode_of(int flags, va_list list) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, mode_t) : 0;
}

}  // namespace

#define POINT(result_type, name, parameters, arguments, noted_before, noted_after)             \
  result_type thrum::name##_call::run parameters const {                                       \
    THRUM_REAL(name);                                                                          \
    test_for_cancellation(code());                                                             \
    LIBC_RUN(result_type, real, arguments, notes_libc_for(code()), noted_before, noted_after); \
  }                                                                                            \
  THRUM_EXPORT result_type name parameters { return name##_call{THRUM_CALLER}.run arguments; }
#include "runtime/libc/libc_calls.def"

#define OPEN(name)                                          \
  THRUM_EXPORT int name(const char* path, int flags, ...) { \
    THRUM_REAL(name);                                       \
    va_list list;                                           \
    va_start(list, flags);                                  \
    mode_t mode = mode_of(flags, list);                     \
    va_end(list);                                           \
    test_for_cancellation(THRUM_CALLER);                    \
    open_call{THRUM_CALLER}.before(path);                   \
    return real(path, flags, mode);                         \
  }

#define OPENAT(name)                                                    \
  THRUM_EXPORT int name(int folder, const char* path, int flags, ...) { \
    THRUM_REAL(name);                                                   \
    va_list list;                                                       \
    va_start(list, flags);                                              \
    mode_t mode = mode_of(flags, list);                                 \
    va_end(list);                                                       \
    test_for_cancellation(THRUM_CALLER);                                \
    open_call{THRUM_CALLER}.before(path);                               \
    return real(folder, path, flags, mode);                             \
  }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
