// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of bytes. Byte by byte: what is wanted is that each byte goes where it belongs, with what is known
// of it.
//
// Tested by tests/libraries/memory_test.cpp.
#include <stddef.h>
#include <stdint.h>

typedef unsigned char byte;

void* memcpy(void* restrict to, const void* restrict from, size_t size) {
  byte* out = to;
  const byte* in = from;
  for (size_t i = 0; i < size; ++i) out[i] = in[i];
  return to;
}

void* mempcpy(void* restrict to, const void* restrict from, size_t size) {
  return (byte*)memcpy(to, from, size) + size;
}

void* memmove(void* to, const void* from, size_t size) {
  byte* out = to;
  const byte* in = from;
  // The numbers are compared, since the pointers may be of two objects.
  if ((uintptr_t)out <= (uintptr_t)in) {
    for (size_t i = 0; i < size; ++i) out[i] = in[i];
  } else {
    for (size_t i = size; i > 0; --i) out[i - 1] = in[i - 1];
  }
  return to;
}

void* memset(void* to, int value, size_t size) {
  byte* out = to;
  for (size_t i = 0; i < size; ++i) out[i] = (byte)value;
  return to;
}

int memcmp(const void* left, const void* right, size_t size) {
  const byte* a = left;
  const byte* b = right;
  for (size_t i = 0; i < size; ++i) {
    if (a[i] != b[i]) return a[i] - b[i];
  }
  return 0;
}

int bcmp(const void* left, const void* right, size_t size) { return memcmp(left, right, size); }

void* memchr(const void* in, int value, size_t size) {
  const byte* at = in;
  for (size_t i = 0; i < size; ++i) {
    if (at[i] == (byte)value) return (void*)(at + i);
  }
  return NULL;
}

void* memrchr(const void* in, int value, size_t size) {
  const byte* at = in;
  for (size_t i = size; i > 0; --i) {
    if (at[i - 1] == (byte)value) return (void*)(at + i - 1);
  }
  return NULL;
}
