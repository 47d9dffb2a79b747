// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libc's functions that read and write memory for the program: compilers leave many calls of them without a
// callback.
//
// The driver links with --wrap for each, so that the program's calls, and only those, come here. Each notes
// what it reads and writes and then does it. wrap_fortified.cpp has the forms of _FORTIFY_SOURCE.
//
// Rejected: interposing them under their own names. The runtime's and libc's own calls would come here as
// well.

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <wchar.h>
#include <algorithm>
#include <cstdarg>

#include "runtime/write_access.hpp"

using namespace thrum;

namespace {

size_t whole(const char* s) { return strlen(s) + 1; }
size_t whole(const wchar_t* s) { return (wcslen(s) + 1) * sizeof *s; }
// Of a string of at most so many characters.
size_t part(const char* s, size_t size) { return std::min(strnlen(s, size) + 1, size); }
size_t part(const wchar_t* s, size_t size) { return std::min(wcsnlen(s, size) + 1, size) * sizeof *s; }
// What has to be read of two strings to compare them.
size_t common(const char* a, const char* b, size_t most = ~size_t{0}) {
  size_t i = 0;
  while (i < most && a[i] == b[i] && a[i] != 0) ++i;
  return i + 1;
}
size_t copied(const void* from, int end, size_t size) {
  const void* found = memchr(from, end, size);
  return found ? static_cast<size_t>(static_cast<const char*>(found) - static_cast<const char*>(from)) + 1 : size;
}

template <typename T>
size_t upto(const T* begin, const T* last) {
  return static_cast<size_t>(last - begin) + 1;
}
size_t upto(const void* begin, const void* last) {
  return upto(static_cast<const char*>(begin), static_cast<const char*>(last));
}
// What has to be read to find a match, or that there is none.
size_t match(const char* in, const char* found, size_t size) {
  return found ? static_cast<size_t>(found - in) + size : whole(in);
}
// With its end.
size_t formatted(const char* format, va_list list) {
  va_list copy;
  va_copy(copy, list);
  int length = vsnprintf(nullptr, 0, format, copy);
  va_end(copy);
  return length < 0 ? 0 : static_cast<size_t>(length) + 1;
}

// Of the first token its end is written. skips: delimiters before it are passed over.
void note_token(char* s, const char* set, std::uint64_t code, bool skips = true) {
  note_plain_read(set, whole(set), code);
  if (!s) return;
  char* token = skips ? s + strspn(s, set) : s;
  char* end = token + strcspn(token, set);
  note_plain_read(s, upto(s, end), code);
  if (*end != 0) note_plain_write(end, 1, code);
}

// Into libc's own memory.
void note_hidden_write() {
  count_step();
  if (world.running) world.wrote = true;
}

}  // namespace

// Notes are taken in executions only. clang-format off
#define WRAP(result, name, parameters, call, notes) \
  THRUM_EXPORT result __wrap_##name parameters {    \
    if (world.running) {                            \
      notes                                         \
    }                                               \
    return call;                                    \
  }

// ---- Memory -------------------------------------------------------------------------------------

WRAP(void*, memcpy, (void* to, const void* from, size_t size), memcpy(to, from, size), note_plain_read(from, size, THRUM_CALLER); note_plain_write(to, size, THRUM_CALLER);)
WRAP(void*, memmove, (void* to, const void* from, size_t size), memmove(to, from, size), note_plain_read(from, size, THRUM_CALLER); note_plain_write(to, size, THRUM_CALLER);)
WRAP(void*, mempcpy, (void* to, const void* from, size_t size), mempcpy(to, from, size), note_plain_read(from, size, THRUM_CALLER); note_plain_write(to, size, THRUM_CALLER);)
WRAP(void*, memset, (void* to, int value, size_t size), memset(to, value, size), note_plain_write(to, size, THRUM_CALLER);)
WRAP(void*, memccpy, (void* to, const void* from, int end, size_t size), memccpy(to, from, end, size), note_plain_read(from, copied(from, end, size), THRUM_CALLER); note_plain_write(to, copied(from, end, size), THRUM_CALLER);)
WRAP(void, bcopy, (const void* from, void* to, size_t size), bcopy(from, to, size), note_plain_read(from, size, THRUM_CALLER); note_plain_write(to, size, THRUM_CALLER);)
WRAP(void, bzero, (void* to, size_t size), bzero(to, size), note_plain_write(to, size, THRUM_CALLER);)
WRAP(void, explicit_bzero, (void* to, size_t size), explicit_bzero(to, size), note_plain_write(to, size, THRUM_CALLER);)
WRAP(void, swab, (const void* from, void* to, ssize_t size), swab(from, to, size), note_plain_read(from, size > 0 ? static_cast<size_t>(size) : 0, THRUM_CALLER); note_plain_write(to, size > 0 ? static_cast<size_t>(size) : 0, THRUM_CALLER);)
WRAP(int, memcmp, (const void* a, const void* b, size_t size), memcmp(a, b, size), note_plain_read(a, size, THRUM_CALLER); note_plain_read(b, size, THRUM_CALLER);)
WRAP(int, bcmp, (const void* a, const void* b, size_t size), bcmp(a, b, size), note_plain_read(a, size, THRUM_CALLER); note_plain_read(b, size, THRUM_CALLER);)
WRAP(void*, memchr, (const void* in, int wanted, size_t size), const_cast<void*>(memchr(in, wanted, size)), note_plain_read(in, copied(in, wanted, size), THRUM_CALLER);)
WRAP(void*, memrchr, (const void* in, int wanted, size_t size), const_cast<void*>(memrchr(in, wanted, size)), note_plain_read(in, size, THRUM_CALLER);)
WRAP(void*, rawmemchr, (const void* in, int wanted), const_cast<void*>(rawmemchr(in, wanted)), note_plain_read(in, upto(in, rawmemchr(in, wanted)), THRUM_CALLER);)
WRAP(void*, memmem, (const void* in, size_t size, const void* wanted, size_t wanted_size), const_cast<void*>(memmem(in, size, wanted, wanted_size)), note_plain_read(in, size, THRUM_CALLER); note_plain_read(wanted, wanted_size, THRUM_CALLER);)

// ---- Strings ------------------------------------------------------------------------------------

WRAP(char*, strcpy, (char* to, const char* from), strcpy(to, from), note_plain_read(from, whole(from), THRUM_CALLER); note_plain_write(to, whole(from), THRUM_CALLER);)
WRAP(char*, stpcpy, (char* to, const char* from), stpcpy(to, from), note_plain_read(from, whole(from), THRUM_CALLER); note_plain_write(to, whole(from), THRUM_CALLER);)
WRAP(char*, strncpy, (char* to, const char* from, size_t size), strncpy(to, from, size), note_plain_read(from, part(from, size), THRUM_CALLER); note_plain_write(to, size, THRUM_CALLER);)
WRAP(char*, stpncpy, (char* to, const char* from, size_t size), stpncpy(to, from, size), note_plain_read(from, part(from, size), THRUM_CALLER); note_plain_write(to, size, THRUM_CALLER);)
WRAP(char*, strcat, (char* to, const char* from), strcat(to, from), note_plain_read(to, whole(to), THRUM_CALLER); note_plain_read(from, whole(from), THRUM_CALLER); note_plain_write(to + strlen(to), whole(from), THRUM_CALLER);)
WRAP(char*, strncat, (char* to, const char* from, size_t size), strncat(to, from, size), note_plain_read(to, whole(to), THRUM_CALLER); note_plain_read(from, part(from, size), THRUM_CALLER); note_plain_write(to + strlen(to), strnlen(from, size) + 1, THRUM_CALLER);)
WRAP(size_t, strlen, (const char* s), strlen(s), note_plain_read(s, whole(s), THRUM_CALLER);)
WRAP(size_t, strnlen, (const char* s, size_t size), strnlen(s, size), note_plain_read(s, part(s, size), THRUM_CALLER);)
WRAP(int, strcmp, (const char* a, const char* b), strcmp(a, b), note_plain_read(a, common(a, b), THRUM_CALLER); note_plain_read(b, common(a, b), THRUM_CALLER);)
WRAP(int, strcasecmp, (const char* a, const char* b), strcasecmp(a, b), note_plain_read(a, common(a, b), THRUM_CALLER); note_plain_read(b, common(a, b), THRUM_CALLER);)
WRAP(int, strcoll, (const char* a, const char* b), strcoll(a, b), note_plain_read(a, common(a, b), THRUM_CALLER); note_plain_read(b, common(a, b), THRUM_CALLER);)
WRAP(int, strncmp, (const char* a, const char* b, size_t size), strncmp(a, b, size), note_plain_read(a, std::min(size, common(a, b, size)), THRUM_CALLER); note_plain_read(b, std::min(size, common(a, b, size)), THRUM_CALLER);)
WRAP(int, strncasecmp, (const char* a, const char* b, size_t size), strncasecmp(a, b, size), note_plain_read(a, std::min(size, common(a, b, size)), THRUM_CALLER); note_plain_read(b, std::min(size, common(a, b, size)), THRUM_CALLER);)
WRAP(char*, strchr, (const char* s, int wanted), const_cast<char*>(strchr(s, wanted)), note_plain_read(s, upto(s, strchrnul(s, wanted)), THRUM_CALLER);)
WRAP(char*, strrchr, (const char* s, int wanted), const_cast<char*>(strrchr(s, wanted)), note_plain_read(s, whole(s), THRUM_CALLER);)
WRAP(char*, strchrnul, (const char* s, int wanted), const_cast<char*>(strchrnul(s, wanted)), note_plain_read(s, upto(s, strchrnul(s, wanted)), THRUM_CALLER);)
WRAP(char*, index, (const char* s, int wanted), const_cast<char*>(index(s, wanted)), note_plain_read(s, whole(s), THRUM_CALLER);)
WRAP(char*, rindex, (const char* s, int wanted), const_cast<char*>(rindex(s, wanted)), note_plain_read(s, whole(s), THRUM_CALLER);)
WRAP(char*, strstr, (const char* s, const char* wanted), const_cast<char*>(strstr(s, wanted)), note_plain_read(s, match(s, strstr(s, wanted), strlen(wanted)), THRUM_CALLER); note_plain_read(wanted, whole(wanted), THRUM_CALLER);)
WRAP(char*, strcasestr, (const char* s, const char* wanted), const_cast<char*>(strcasestr(s, wanted)), note_plain_read(s, match(s, strcasestr(s, wanted), strlen(wanted)), THRUM_CALLER); note_plain_read(wanted, whole(wanted), THRUM_CALLER);)
WRAP(char*, strpbrk, (const char* s, const char* wanted), const_cast<char*>(strpbrk(s, wanted)), note_plain_read(s, strcspn(s, wanted) + 1, THRUM_CALLER); note_plain_read(wanted, whole(wanted), THRUM_CALLER);)
WRAP(size_t, strspn, (const char* s, const char* set), strspn(s, set), note_plain_read(s, strspn(s, set) + 1, THRUM_CALLER); note_plain_read(set, whole(set), THRUM_CALLER);)
WRAP(size_t, strcspn, (const char* s, const char* set), strcspn(s, set), note_plain_read(s, strcspn(s, set) + 1, THRUM_CALLER); note_plain_read(set, whole(set), THRUM_CALLER);)
WRAP(size_t, strxfrm, (char* to, const char* from, size_t size), strxfrm(to, from, size), note_plain_read(from, whole(from), THRUM_CALLER); note_plain_write(to, size, THRUM_CALLER);)
WRAP(char*, strdup, (const char* s), strdup(s), note_plain_read(s, whole(s), THRUM_CALLER);)
WRAP(char*, strndup, (const char* s, size_t size), strndup(s, size), note_plain_read(s, part(s, size), THRUM_CALLER);)
WRAP(char*, strtok, (char* s, const char* set), strtok(s, set), note_hidden_write(); note_token(s, set, THRUM_CALLER);)
WRAP(char*, strtok_r, (char* s, const char* set, char** rest), strtok_r(s, set, rest), note_token(s ? s : *rest, set, THRUM_CALLER); note_plain_write(rest, sizeof *rest, THRUM_CALLER);)
WRAP(char*, strsep, (char** s, const char* set), strsep(s, set), note_plain_write(s, sizeof *s, THRUM_CALLER); note_token(*s, set, THRUM_CALLER, false);)

// ---- Wide strings -------------------------------------------------------------------------------

WRAP(wchar_t*, wmemcpy, (wchar_t* to, const wchar_t* from, size_t size), wmemcpy(to, from, size), note_plain_read(from, size * sizeof *to, THRUM_CALLER); note_plain_write(to, size * sizeof *to, THRUM_CALLER);)
WRAP(wchar_t*, wmemmove, (wchar_t* to, const wchar_t* from, size_t size), wmemmove(to, from, size), note_plain_read(from, size * sizeof *to, THRUM_CALLER); note_plain_write(to, size * sizeof *to, THRUM_CALLER);)
WRAP(wchar_t*, wmempcpy, (wchar_t* to, const wchar_t* from, size_t size), wmempcpy(to, from, size), note_plain_read(from, size * sizeof *to, THRUM_CALLER); note_plain_write(to, size * sizeof *to, THRUM_CALLER);)
WRAP(wchar_t*, wmemset, (wchar_t* to, wchar_t value, size_t size), wmemset(to, value, size), note_plain_write(to, size * sizeof *to, THRUM_CALLER);)
WRAP(int, wmemcmp, (const wchar_t* a, const wchar_t* b, size_t size), wmemcmp(a, b, size), note_plain_read(a, size * sizeof *a, THRUM_CALLER); note_plain_read(b, size * sizeof *b, THRUM_CALLER);)
WRAP(wchar_t*, wmemchr, (const wchar_t* in, wchar_t wanted, size_t size), const_cast<wchar_t*>(wmemchr(in, wanted, size)), note_plain_read(in, (wmemchr(in, wanted, size) ? upto(in, wmemchr(in, wanted, size)) : size) * sizeof *in, THRUM_CALLER);)
WRAP(wchar_t*, wcscpy, (wchar_t* to, const wchar_t* from), wcscpy(to, from), note_plain_read(from, whole(from), THRUM_CALLER); note_plain_write(to, whole(from), THRUM_CALLER);)
WRAP(wchar_t*, wcsncpy, (wchar_t* to, const wchar_t* from, size_t size), wcsncpy(to, from, size), note_plain_read(from, part(from, size), THRUM_CALLER); note_plain_write(to, size * sizeof *to, THRUM_CALLER);)
WRAP(wchar_t*, wcscat, (wchar_t* to, const wchar_t* from), wcscat(to, from), note_plain_read(to, whole(to), THRUM_CALLER); note_plain_read(from, whole(from), THRUM_CALLER); note_plain_write(to + wcslen(to), whole(from), THRUM_CALLER);)
WRAP(wchar_t*, wcsncat, (wchar_t* to, const wchar_t* from, size_t size), wcsncat(to, from, size), note_plain_read(to, whole(to), THRUM_CALLER); note_plain_read(from, part(from, size), THRUM_CALLER); note_plain_write(to + wcslen(to), (wcsnlen(from, size) + 1) * sizeof *to, THRUM_CALLER);)
WRAP(size_t, wcslen, (const wchar_t* s), wcslen(s), note_plain_read(s, whole(s), THRUM_CALLER);)
WRAP(int, wcscmp, (const wchar_t* a, const wchar_t* b), wcscmp(a, b), note_plain_read(a, sizeof *a, THRUM_CALLER); note_plain_read(b, sizeof *b, THRUM_CALLER);)
WRAP(wchar_t*, wcschr, (const wchar_t* s, wchar_t wanted), const_cast<wchar_t*>(wcschr(s, wanted)), note_plain_read(s, upto(s, wcschr(s, wanted) ? wcschr(s, wanted) : s + wcslen(s)) * sizeof *s, THRUM_CALLER);)

// ---- Formatted ----------------------------------------------------------------------------------

WRAP(int, vsprintf, (char* to, const char* format, va_list list), vsprintf(to, format, list), note_plain_read(format, whole(format), THRUM_CALLER); note_plain_write(to, formatted(format, list), THRUM_CALLER);)
WRAP(int, vsnprintf, (char* to, size_t size, const char* format, va_list list), vsnprintf(to, size, format, list), note_plain_read(format, whole(format), THRUM_CALLER); note_plain_write(to, std::min(size, formatted(format, list)), THRUM_CALLER);)

// clang-format on

THRUM_EXPORT int __wrap_sprintf(char* to, const char* format, ...) {
  va_list list;
  va_start(list, format);
  int length = __wrap_vsprintf(to, format, list);
  va_end(list);
  return length;
}

THRUM_EXPORT int __wrap_snprintf(char* to, size_t size, const char* format, ...) {
  va_list list;
  va_start(list, format);
  int length = __wrap_vsnprintf(to, size, format, list);
  va_end(list);
  return length;
}
