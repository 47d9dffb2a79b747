// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks and strings of wide characters, in the locale "C".
//
// Tested by tests/libraries/wide_strings_test.cpp.
#include <stddef.h>
#include <stdint.h>

void* malloc(size_t size);

// Wide characters are signed here, and compared as such. They are not subtracted, since that might overflow.
static int compared(wchar_t left, wchar_t right) { return left < right ? -1 : left > right; }

wchar_t* wmemcpy(wchar_t* restrict to, const wchar_t* restrict from, size_t size) {
  for (size_t i = 0; i < size; ++i) to[i] = from[i];
  return to;
}

wchar_t* wmempcpy(wchar_t* restrict to, const wchar_t* restrict from, size_t size) {
  return wmemcpy(to, from, size) + size;
}

wchar_t* wmemmove(wchar_t* to, const wchar_t* from, size_t size) {
  // The numbers are compared, since the pointers may be of two objects.
  if ((uintptr_t)to <= (uintptr_t)from) {
    for (size_t i = 0; i < size; ++i) to[i] = from[i];
  } else {
    for (size_t i = size; i > 0; --i) to[i - 1] = from[i - 1];
  }
  return to;
}

wchar_t* wmemset(wchar_t* to, wchar_t value, size_t size) {
  for (size_t i = 0; i < size; ++i) to[i] = value;
  return to;
}

int wmemcmp(const wchar_t* left, const wchar_t* right, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    if (left[i] != right[i]) return compared(left[i], right[i]);
  }
  return 0;
}

wchar_t* wmemchr(const wchar_t* in, wchar_t value, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    if (in[i] == value) return (wchar_t*)(in + i);
  }
  return NULL;
}

size_t wcslen(const wchar_t* text) {
  size_t length = 0;
  while (text[length] != L'\0') ++length;
  return length;
}

size_t wcsnlen(const wchar_t* text, size_t most) {
  size_t length = 0;
  while (length < most && text[length] != L'\0') ++length;
  return length;
}

wchar_t* wcpcpy(wchar_t* restrict to, const wchar_t* restrict from) {
  while ((*to = *from) != L'\0') {
    ++to;
    ++from;
  }
  return to;
}

wchar_t* wcscpy(wchar_t* restrict to, const wchar_t* restrict from) {
  wcpcpy(to, from);
  return to;
}

wchar_t* wcsncpy(wchar_t* restrict to, const wchar_t* restrict from, size_t size) {
  size_t i = 0;
  for (; i < size && from[i] != L'\0'; ++i) to[i] = from[i];
  for (; i < size; ++i) to[i] = L'\0';
  return to;
}

wchar_t* wcscat(wchar_t* restrict to, const wchar_t* restrict from) {
  wcscpy(to + wcslen(to), from);
  return to;
}

wchar_t* wcsncat(wchar_t* restrict to, const wchar_t* restrict from, size_t most) {
  wchar_t* end = to + wcslen(to);
  size_t i = 0;
  for (; i < most && from[i] != L'\0'; ++i) end[i] = from[i];
  end[i] = L'\0';
  return to;
}

int wcsncmp(const wchar_t* left, const wchar_t* right, size_t most) {
  for (size_t i = 0; i < most; ++i) {
    if (left[i] != right[i]) return compared(left[i], right[i]);
    if (left[i] == L'\0') break;
  }
  return 0;
}

int wcscmp(const wchar_t* left, const wchar_t* right) { return wcsncmp(left, right, (size_t)-1); }

int wcscoll(const wchar_t* left, const wchar_t* right) { return wcscmp(left, right); }

// In this locale, a text is its own key.
size_t wcsxfrm(wchar_t* restrict to, const wchar_t* restrict from, size_t size) {
  const size_t length = wcslen(from);
  if (size != 0) wcsncpy(to, from, length < size ? length + 1 : size);
  return length;
}

wchar_t* wcschr(const wchar_t* text, wchar_t character) {
  for (;; ++text) {
    if (*text == character) return (wchar_t*)text;
    if (*text == L'\0') return NULL;
  }
}

wchar_t* wcsrchr(const wchar_t* text, wchar_t character) {
  const wchar_t* found = NULL;
  for (;; ++text) {
    if (*text == character) found = text;
    if (*text == L'\0') return (wchar_t*)found;
  }
}

wchar_t* wcsstr(const wchar_t* text, const wchar_t* wanted) {
  const size_t length = wcslen(wanted);
  for (;; ++text) {
    if (wcsncmp(text, wanted, length) == 0) return (wchar_t*)text;
    if (*text == L'\0') return NULL;
  }
}

// Whether the character is one of the set; the set's end is none.
static int is_in(const wchar_t* set, wchar_t character) {
  for (; *set != L'\0'; ++set) {
    if (*set == character) return 1;
  }
  return 0;
}

size_t wcsspn(const wchar_t* text, const wchar_t* accepted) {
  size_t length = 0;
  while (text[length] != L'\0' && is_in(accepted, text[length])) ++length;
  return length;
}

size_t wcscspn(const wchar_t* text, const wchar_t* rejected) {
  size_t length = 0;
  while (text[length] != L'\0' && !is_in(rejected, text[length])) ++length;
  return length;
}

wchar_t* wcspbrk(const wchar_t* text, const wchar_t* accepted) {
  text += wcscspn(text, accepted);
  return *text == L'\0' ? NULL : (wchar_t*)text;
}

wchar_t* wcstok(wchar_t* restrict text, const wchar_t* restrict separators, wchar_t** restrict rest) {
  if (text == NULL) text = *rest;
  // As in glibc, nothing is left behind the last word.
  if (text == NULL) return NULL;
  text += wcsspn(text, separators);
  if (*text == L'\0') {
    *rest = NULL;
    return NULL;
  }
  wchar_t* end = text + wcscspn(text, separators);
  *rest = *end == L'\0' ? NULL : end + 1;
  *end = L'\0';
  return text;
}

wchar_t* wcsdup(const wchar_t* text) {
  const size_t size = wcslen(text) + 1;
  wchar_t* copy = malloc(size * sizeof(wchar_t));
  return copy == NULL ? NULL : wmemcpy(copy, text, size);
}
