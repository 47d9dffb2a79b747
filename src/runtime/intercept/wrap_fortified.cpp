// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The forms of libc's functions that compilers call under _FORTIFY_SOURCE: they know the available room.
// Exceeding it is a bug; in a plain process libc's own function ends the process. The rows CHECKED of
// libc_calls.def.

#include "runtime/libc/libc_calls.hpp"

using namespace thrum;

#define CHECKED(result_type, name, parameters, arguments, plain, needed)                                  \
  extern "C" result_type __##name##_chk parameters;                                                       \
  THRUM_EXPORT result_type __wrap___##name##_chk parameters {                                             \
    if ((needed) > room) {                                                                                \
      if (searching()) fail_here(BugKind::buffer_overflow, #name " writes beyond the end of its target"); \
      return __##name##_chk arguments;                                                                    \
    }                                                                                                     \
    return name##_call{THRUM_CALLER}.run plain;                                                           \
  }
#include "runtime/libc/libc_calls.def"

// Whether a line fits depends on the line: a line that is too long shows by one element beyond the room.
#define CHECKED_LINE(name, element)                                                               \
  extern "C" element* __##name##_chk(element* to, size_t room, int size, FILE* stream);           \
  THRUM_EXPORT element* __wrap___##name##_chk(element* to, size_t room, int size, FILE* stream) { \
    if (!searching()) return __##name##_chk(to, room, size, stream);                              \
    const bool fits = size <= 0 || static_cast<size_t>(size) <= room;                             \
    const int most = fits ? size : static_cast<int>(room) + 1;                                    \
    element* line = name##_call{THRUM_CALLER}.run(to, most, stream);                              \
    if (line && !fits && whole(line) > room)                                                      \
      fail_here(BugKind::buffer_overflow, #name " writes beyond the end of its target");          \
    return line;                                                                                  \
  }
CHECKED_LINE(fgets, char)
CHECKED_LINE(fgets_unlocked, char)
CHECKED_LINE(fgetws, wchar_t)
CHECKED_LINE(fgetws_unlocked, wchar_t)
