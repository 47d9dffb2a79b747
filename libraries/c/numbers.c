// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole numbers: their texts, absolute values, quotients.
//
// Tested by tests/libraries/numbers_test.cpp.
#include <errno.h>
#include <limits.h>

typedef struct {
  int quot, rem;
} Quotient;
typedef struct {
  long quot, rem;
} LongQuotient;
typedef struct {
  long long quot, rem;
} LongLongQuotient;

// The least number has no absolute value; as in glibc, it stays as it is.
int abs(int value) { return value < 0 ? (int)(0U - (unsigned)value) : value; }
long labs(long value) { return value < 0 ? (long)(0UL - (unsigned long)value) : value; }
long long llabs(long long value) { return value < 0 ? (long long)(0ULL - (unsigned long long)value) : value; }

Quotient div(int value, int by) { return (Quotient){value / by, value % by}; }
LongQuotient ldiv(long value, long by) { return (LongQuotient){value / by, value % by}; }
LongLongQuotient lldiv(long long value, long long by) { return (LongLongQuotient){value / by, value % by}; }

static int is_space(char character) { return character == ' ' || (character >= '\t' && character <= '\r'); }

// Where the number is too large, the largest, and ERANGE.
long long atoll(const char* text) {
  while (is_space(*text)) ++text;
  const int negative = *text == '-';
  if (*text == '-' || *text == '+') ++text;
  // Negative numbers reach one further.
  long long value = 0;
  for (; *text >= '0' && *text <= '9'; ++text) {
    if (__builtin_mul_overflow(value, 10LL, &value) || __builtin_sub_overflow(value, *text - '0', &value)) {
      errno = ERANGE;
      return negative ? LLONG_MIN : LLONG_MAX;
    }
  }
  if (negative) return value;
  if (value == LLONG_MIN) {
    errno = ERANGE;
    return LLONG_MAX;
  }
  return -value;
}

long atol(const char* text) { return atoll(text); }

int atoi(const char* text) { return (int)atoll(text); }
