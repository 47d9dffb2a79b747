// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compiler makes of floating point, vectors and wide atomic operations as functions of LLVM.
#include <fenv.h>
#include <float.h>
#include <stdio.h>

typedef int int4 __attribute__((ext_vector_type(4)));
typedef unsigned unsigned4 __attribute__((ext_vector_type(4)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef _Bool bool4 __attribute__((ext_vector_type(4)));
typedef _Bool bool11 __attribute__((ext_vector_type(11)));

static volatile double numbers[] = {0.0, -0.0, 1.0, -1.5, 2.5, 3.5, 1e300, 4.9e-324, 1.0 / 3, -1e18, 0.3};
static volatile int exponents[] = {0, 1, -1, 2, 60, -1100, 5, 3, -7, 10, 4};
enum { kNumbers = sizeof numbers / sizeof numbers[0] };

static void parts(void) {
  for (int i = 0; i < kNumbers; ++i) {
    int e = 0, f = 0, l = 0;
    const double d = __builtin_frexp(numbers[i], &e);
    const float g = __builtin_frexpf((float)(numbers[i] < 1e30 ? numbers[i] : 2), &f);
    const long double h = __builtin_frexpl(numbers[i], &l);
    printf("%a %d %a %d %La %d\n", d, e, g, f, h, l);
    printf("%a %a %La\n", __builtin_ldexp(numbers[i], exponents[i]), __builtin_ldexpf((float)d, exponents[i]),
           __builtin_ldexpl(h, exponents[i]));
  }
}

static void functions(void) {
  for (int i = 0; i < kNumbers; ++i) {
    const double d = numbers[i];
    const double small = d > 1 || d < -1 ? 0.25 : d;
    printf("%a %a %a %a %a %a\n", __builtin_elementwise_acos(small), __builtin_elementwise_asin(small),
           __builtin_elementwise_atan(d), __builtin_elementwise_sinh(small), __builtin_elementwise_cosh(small),
           __builtin_elementwise_tanh(d));
    if (d < 1e17 && d > -1e17)
      printf("%ld %ld %lld %lld %ld\n", __builtin_lrint(d), __builtin_lround(d), __builtin_llrintf((float)d),
             __builtin_llroundl(d), __builtin_lrintl(d));
  }
}

static __attribute__((noinline)) void rounded(int direction) {
#pragma STDC FENV_ACCESS ON
  fesetround(direction);
  for (int i = 0; i < kNumbers; ++i) {
    const double d = numbers[i];
    const float f = (float)d;
    const long double l = d;
    printf("%d: %a %a %a %a %a %La", FLT_ROUNDS, d + 0.1, d - 0.1, d * 0.1, d / 3, f / 3.0f, l / 3);
    printf(" %a %d %d %d %d", __builtin_sqrt(d < 0 ? -d : d), d < 0.1, d == f, d != 1, d >= 2.5);
    printf(" %a %a %a %a\n", __builtin_rint(d), __builtin_floor(d), __builtin_trunc(d), (double)(float)d);
    if (d < 1e17 && d > -1e17) printf("%d %ld %a\n", (int)d, (long)d, (float)(long)(d * 1e10));
  }
  fesetround(FE_TONEAREST);
}

static volatile int4 ints = {3, -7, 40, 2};
static volatile float4 floats = {1.5f, -2.0f, 9.25f, 0.5f};
static volatile bool4 four = {1, 0, 0, 1};
static volatile bool11 eleven = {1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1};

static void vectors(void) {
  const int4 v = ints;
  const unsigned4 u = __builtin_convertvector(v, unsigned4);
  printf("%d %d %u %u %a %a\n", __builtin_reduce_max(v), __builtin_reduce_min(v), __builtin_reduce_max(u),
         __builtin_reduce_min(u), __builtin_reduce_max(floats), __builtin_reduce_min(floats));
  bool11 copy = eleven;
  copy[4] = 1;
  eleven = copy;
  for (int i = 0; i < 11; ++i) printf("%d", eleven[i]);
  for (int i = 0; i < 4; ++i) printf("%d", four[i]);
  printf("\n");
}

static __int128 wide = ((__int128)3 << 64) + 5;

static void show(__int128 value) { printf("%llx %llx\n", (unsigned long long)(value >> 64), (unsigned long long)value); }

static __attribute__((target("cx16"), noinline)) void wide_atomics(void) {
  show(__sync_fetch_and_add(&wide, ((__int128)1 << 64) - 1));
  show(__sync_fetch_and_sub(&wide, 7));
  show(__sync_fetch_and_or(&wide, (__int128)1 << 100));
  show(__sync_fetch_and_xor(&wide, 0xff));
  show(__sync_fetch_and_nand(&wide, ((__int128)0xf << 64) | 0xff0));
  show(__sync_fetch_and_and(&wide, ~(__int128)0xff));
  const __int128 now = wide;
  show(now);
  printf("%d", __sync_bool_compare_and_swap(&wide, 1, 2));
  show(wide);
  printf("%d", __sync_bool_compare_and_swap(&wide, now, 2));
  show(wide);
}

int main(void) {
  parts();
  functions();
  rounded(FE_TONEAREST);
  rounded(FE_UPWARD);
  rounded(FE_DOWNWARD);
  rounded(FE_TOWARDZERO);
  vectors();
  wide_atomics();
  return 0;
}
