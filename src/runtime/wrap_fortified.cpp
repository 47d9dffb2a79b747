// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The forms of wrap_string.cpp that compilers call under _FORTIFY_SOURCE: they know how much room there is.
// What does not fit is a bug; in a plain process libc's own function ends it.

#include <stdio.h>
#include <string.h>
#include <wchar.h>
#include <cstdarg>

#include "runtime/failure.hpp"
#include "runtime/write_access.hpp"

using namespace thrum;

// room: in elements.
#define FORTIFIED(result, name, parameters, arguments, needed)                                            \
  extern "C" result __wrap_##name parameters;                                                             \
  extern "C" result __##name##_chk(FORTIFIED_LIST parameters, size_t room);                               \
  THRUM_EXPORT result __wrap___##name##_chk(FORTIFIED_LIST parameters, size_t room) {                     \
    if ((needed) > room) {                                                                                \
      if (searching()) fail_here(BugKind::buffer_overflow, #name " writes beyond the end of its target"); \
      return __##name##_chk(FORTIFIED_LIST arguments, room);                                              \
    }                                                                                                     \
    return __wrap_##name arguments;                                                                       \
  }
// Takes the brackets off a list.
#define FORTIFIED_LIST(...) __VA_ARGS__

// clang-format off
FORTIFIED(void*, memcpy, (void* to, const void* from, size_t size), (to, from, size), size)
FORTIFIED(void*, memmove, (void* to, const void* from, size_t size), (to, from, size), size)
FORTIFIED(void*, mempcpy, (void* to, const void* from, size_t size), (to, from, size), size)
FORTIFIED(void*, memset, (void* to, int value, size_t size), (to, value, size), size)
FORTIFIED(void, explicit_bzero, (void* to, size_t size), (to, size), size)
FORTIFIED(char*, strcpy, (char* to, const char* from), (to, from), strlen(from) + 1)
FORTIFIED(char*, stpcpy, (char* to, const char* from), (to, from), strlen(from) + 1)
FORTIFIED(char*, strncpy, (char* to, const char* from, size_t size), (to, from, size), size)
FORTIFIED(char*, stpncpy, (char* to, const char* from, size_t size), (to, from, size), size)
FORTIFIED(char*, strcat, (char* to, const char* from), (to, from), strlen(to) + strlen(from) + 1)
FORTIFIED(char*, strncat, (char* to, const char* from, size_t size), (to, from, size), strlen(to) + strnlen(from, size) + 1)
FORTIFIED(wchar_t*, wmemcpy, (wchar_t* to, const wchar_t* from, size_t size), (to, from, size), size)
FORTIFIED(wchar_t*, wmemmove, (wchar_t* to, const wchar_t* from, size_t size), (to, from, size), size)
FORTIFIED(wchar_t*, wmempcpy, (wchar_t* to, const wchar_t* from, size_t size), (to, from, size), size)
FORTIFIED(wchar_t*, wmemset, (wchar_t* to, wchar_t value, size_t size), (to, value, size), size)
FORTIFIED(wchar_t*, wcscpy, (wchar_t* to, const wchar_t* from), (to, from), wcslen(from) + 1)
FORTIFIED(wchar_t*, wcsncpy, (wchar_t* to, const wchar_t* from, size_t size), (to, from, size), size)
FORTIFIED(wchar_t*, wcscat, (wchar_t* to, const wchar_t* from), (to, from), wcslen(to) + wcslen(from) + 1)
// clang-format on

extern "C" {
int __wrap_vsprintf(char*, const char*, va_list);
int __wrap_vsnprintf(char*, size_t, const char*, va_list);
int __vsprintf_chk(char*, int, size_t, const char*, va_list);
int __vsnprintf_chk(char*, size_t, int, size_t, const char*, va_list);
}

THRUM_EXPORT int __wrap___vsprintf_chk(char* to, int flag, size_t room, const char* format, va_list list) {
  va_list again;
  va_copy(again, list);
  int length = vsnprintf(nullptr, 0, format, again);
  va_end(again);
  note_plain_write(to, length < 0 ? 0 : static_cast<size_t>(length) + 1, THRUM_CALLER);
  if (searching() && room != ~size_t{0}) {
    if (length >= 0 && static_cast<size_t>(length) >= room)
      fail_here(BugKind::buffer_overflow, "sprintf writes beyond the end of its target");
  }
  return __vsprintf_chk(to, flag, room, format, list);
}

THRUM_EXPORT int __wrap___vsnprintf_chk(char* to, size_t size, int flag, size_t room, const char* format,
                                        va_list list) {
  va_list again;
  va_copy(again, list);
  int length = vsnprintf(nullptr, 0, format, again);
  va_end(again);
  note_plain_write(to, length < 0 ? 0 : std::min(size, static_cast<size_t>(length) + 1), THRUM_CALLER);
  if (searching() && size > room)
    fail_here(BugKind::buffer_overflow, "snprintf writes beyond the end of its target");
  return __vsnprintf_chk(to, size, flag, room, format, list);
}

THRUM_EXPORT int __wrap___sprintf_chk(char* to, int flag, size_t room, const char* format, ...) {
  va_list list;
  va_start(list, format);
  int length = __wrap___vsprintf_chk(to, flag, room, format, list);
  va_end(list);
  return length;
}

THRUM_EXPORT int __wrap___snprintf_chk(char* to, size_t size, int flag, size_t room, const char* format,
                                       ...) {
  va_list list;
  va_start(list, format);
  int length = __wrap___vsnprintf_chk(to, size, flag, room, format, list);
  va_end(list);
  return length;
}
