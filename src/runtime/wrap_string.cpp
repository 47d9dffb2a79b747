// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libc's functions that write to memory for the program: compilers leave some calls of them without a
// callback.
//
// The driver links with --wrap for each, so that the program's calls, and only those, come here. All that has
// to be known of them at present is that memory was written: a loop that does so is no waiting loop.
//
// Rejected: interposing them under their own names. The runtime's and libc's own calls would come here as
// well.

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "runtime/write_access.hpp"

#define WRAP(result, name, parameters, to, call) \
  THRUM_EXPORT result __wrap_##name parameters { \
    thrum::note_plain_write(to);                 \
    return call;                                 \
  }

WRAP(void*, memcpy, (void* to, const void* from, std::size_t size), to, std::memcpy(to, from, size))
WRAP(void*, memmove, (void* to, const void* from, std::size_t size), to, std::memmove(to, from, size))
WRAP(void*, memset, (void* to, int value, std::size_t size), to, std::memset(to, value, size))
WRAP(char*, strcpy, (char* to, const char* from), to, std::strcpy(to, from))
WRAP(char*, strncpy, (char* to, const char* from, std::size_t size), to, std::strncpy(to, from, size))
WRAP(char*, strcat, (char* to, const char* from), to, std::strcat(to, from))
WRAP(char*, strncat, (char* to, const char* from, std::size_t size), to, std::strncat(to, from, size))
WRAP(char*, stpcpy, (char* to, const char* from), to, stpcpy(to, from))
WRAP(int, vsprintf, (char* to, const char* format, va_list list), to, std::vsprintf(to, format, list))
WRAP(int, vsnprintf, (char* to, std::size_t size, const char* format, va_list list), to,
     std::vsnprintf(to, size, format, list))

THRUM_EXPORT int __wrap_sprintf(char* to, const char* format, ...) {
  va_list list;
  va_start(list, format);
  int length = __wrap_vsprintf(to, format, list);
  va_end(list);
  return length;
}

THRUM_EXPORT int __wrap_snprintf(char* to, std::size_t size, const char* format, ...) {
  va_list list;
  va_start(list, format);
  int length = __wrap_vsnprintf(to, size, format, list);
  va_end(list);
  return length;
}
