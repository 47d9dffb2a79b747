// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strings of bytes, in the locale "C".
//
// Tested by tests/libraries/strings_test.cpp.
#include <stddef.h>

// Not from <stdlib.h> and <ctype.h>, which define some of these as macros.
void* malloc(size_t size);
int tolower(int character);

typedef unsigned char byte;

size_t strlen(const char* text) {
  size_t length = 0;
  while (text[length] != '\0') ++length;
  return length;
}

size_t strnlen(const char* text, size_t most) {
  size_t length = 0;
  while (length < most && text[length] != '\0') ++length;
  return length;
}

char* stpcpy(char* restrict to, const char* restrict from) {
  while ((*to = *from) != '\0') {
    ++to;
    ++from;
  }
  return to;
}

char* strcpy(char* restrict to, const char* restrict from) {
  stpcpy(to, from);
  return to;
}

// The end of the text, or the end of the room if it does not fit.
char* stpncpy(char* restrict to, const char* restrict from, size_t size) {
  size_t i = 0;
  for (; i < size && from[i] != '\0'; ++i) to[i] = from[i];
  char* end = to + i;
  for (; i < size; ++i) to[i] = '\0';
  return end;
}

char* strncpy(char* restrict to, const char* restrict from, size_t size) {
  stpncpy(to, from, size);
  return to;
}

char* strcat(char* restrict to, const char* restrict from) {
  strcpy(to + strlen(to), from);
  return to;
}

char* strncat(char* restrict to, const char* restrict from, size_t most) {
  char* end = to + strlen(to);
  size_t i = 0;
  for (; i < most && from[i] != '\0'; ++i) end[i] = from[i];
  end[i] = '\0';
  return to;
}

int strncmp(const char* left, const char* right, size_t most) {
  for (size_t i = 0; i < most; ++i) {
    const byte a = (byte)left[i], b = (byte)right[i];
    if (a != b) return a - b;
    if (a == '\0') break;
  }
  return 0;
}

int strcmp(const char* left, const char* right) { return strncmp(left, right, (size_t)-1); }

int strncasecmp(const char* left, const char* right, size_t most) {
  for (size_t i = 0; i < most; ++i) {
    const int a = tolower((byte)left[i]), b = tolower((byte)right[i]);
    if (a != b) return a - b;
    if (a == '\0') break;
  }
  return 0;
}

int strcasecmp(const char* left, const char* right) { return strncasecmp(left, right, (size_t)-1); }

char* strchrnul(const char* text, int character) {
  while (*text != '\0' && *text != (char)character) ++text;
  return (char*)text;
}

char* strchr(const char* text, int character) {
  char* found = strchrnul(text, character);
  return *found == (char)character ? found : NULL;
}

char* index(const char* text, int character) { return strchr(text, character); }

char* strrchr(const char* text, int character) {
  const char* found = NULL;
  for (;; ++text) {
    if (*text == (char)character) found = text;
    if (*text == '\0') return (char*)found;
  }
}

char* rindex(const char* text, int character) { return strrchr(text, character); }

char* strstr(const char* text, const char* wanted) {
  const size_t length = strlen(wanted);
  for (;; ++text) {
    if (strncmp(text, wanted, length) == 0) return (char*)text;
    if (*text == '\0') return NULL;
  }
}

// Whether the character is one of the set; the set's end is none.
static int is_in(const char* set, char character) {
  for (; *set != '\0'; ++set) {
    if (*set == character) return 1;
  }
  return 0;
}

size_t strspn(const char* text, const char* accepted) {
  size_t length = 0;
  while (text[length] != '\0' && is_in(accepted, text[length])) ++length;
  return length;
}

size_t strcspn(const char* text, const char* rejected) {
  size_t length = 0;
  while (text[length] != '\0' && !is_in(rejected, text[length])) ++length;
  return length;
}

char* strpbrk(const char* text, const char* accepted) {
  text += strcspn(text, accepted);
  return *text == '\0' ? NULL : (char*)text;
}

char* strtok_r(char* restrict text, const char* restrict separators, char** restrict rest) {
  if (text == NULL) text = *rest;
  text += strspn(text, separators);
  if (*text == '\0') {
    *rest = text;
    return NULL;
  }
  char* end = text + strcspn(text, separators);
  *rest = *end == '\0' ? end : end + 1;
  *end = '\0';
  return text;
}

char* __strtok_r(char* restrict text, const char* restrict separators, char** restrict rest) {
  return strtok_r(text, separators, rest);
}

char* strtok(char* restrict text, const char* restrict separators) {
  static char* rest;
  return strtok_r(text, separators, &rest);
}

char* strndup(const char* text, size_t most) {
  const size_t length = strnlen(text, most);
  char* copy = malloc(length + 1);
  if (copy == NULL) return NULL;
  for (size_t i = 0; i < length; ++i) copy[i] = text[i];
  copy[length] = '\0';
  return copy;
}

char* strdup(const char* text) { return strndup(text, (size_t)-1); }

int strcoll(const char* left, const char* right) { return strcmp(left, right); }

// In this locale, a text is its own key. Nothing is said of the bytes of a key that does not fit, save that
// glibc writes none.
size_t strxfrm(char* restrict to, const char* restrict from, size_t size) {
  const size_t length = strlen(from);
  if (size != 0) stpncpy(to, from, length < size ? length + 1 : size);
  return length;
}
