// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cprogram/headers.hpp"

namespace thrum::cprogram {

namespace {

constexpr const char* kAssert =
    "#undef assert\n"
    "#define assert(condition) __thrum_assert(condition)\n"
    "void __thrum_assert(_Bool condition);\n"
    "#define static_assert _Static_assert\n";

constexpr const char* kNull =
    "#ifndef NULL\n"
    "#define NULL ((void *)0)\n"
    "typedef unsigned long size_t;\n"
    "typedef long ssize_t;\n"
    "typedef long ptrdiff_t;\n"
    "#endif\n";

constexpr const char* kThreads =
    "#pragma once\n"
    "#include <stddef.h>\n"
    "typedef unsigned long pthread_t;\n"
    "typedef struct { int thrum_unused; } pthread_attr_t;\n"
    "typedef struct { int thrum_unused; } pthread_mutex_t;\n"
    "typedef struct { int thrum_unused; } pthread_mutexattr_t;\n"
    "typedef struct { int thrum_unused; } pthread_cond_t;\n"
    "typedef struct { int thrum_unused; } pthread_condattr_t;\n"
    "#define PTHREAD_MUTEX_INITIALIZER { 0 }\n"
    "#define PTHREAD_COND_INITIALIZER { 0 }\n"
    "int pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);\n"
    "int pthread_join(pthread_t, void **);\n"
    "int pthread_detach(pthread_t);\n"
    "void pthread_exit(void *) __attribute__((noreturn));\n"
    "pthread_t pthread_self(void);\n"
    "int pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *);\n"
    "int pthread_mutex_destroy(pthread_mutex_t *);\n"
    "int pthread_mutex_lock(pthread_mutex_t *);\n"
    "int pthread_mutex_trylock(pthread_mutex_t *);\n"
    "int pthread_mutex_unlock(pthread_mutex_t *);\n"
    "int pthread_cond_init(pthread_cond_t *, const pthread_condattr_t *);\n"
    "int pthread_cond_destroy(pthread_cond_t *);\n"
    "int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);\n"
    "int pthread_cond_signal(pthread_cond_t *);\n"
    "int pthread_cond_broadcast(pthread_cond_t *);\n";

constexpr const char* kIntegers =
    "#pragma once\n"
    "typedef signed char int8_t;\n"
    "typedef unsigned char uint8_t;\n"
    "typedef short int16_t;\n"
    "typedef unsigned short uint16_t;\n"
    "typedef int int32_t;\n"
    "typedef unsigned int uint32_t;\n"
    "typedef long int64_t;\n"
    "typedef unsigned long uint64_t;\n"
    "typedef long intptr_t;\n"
    "typedef unsigned long uintptr_t;\n"
    "typedef long intmax_t;\n"
    "typedef unsigned long uintmax_t;\n"
    "typedef signed char int_least8_t, int_fast8_t;\n"
    "typedef unsigned char uint_least8_t, uint_fast8_t;\n"
    "typedef short int_least16_t;\n"
    "typedef unsigned short uint_least16_t;\n"
    "typedef int int_least32_t;\n"
    "typedef unsigned int uint_least32_t;\n"
    "typedef long int_least64_t, int_fast16_t, int_fast32_t, int_fast64_t;\n"
    "typedef unsigned long uint_least64_t, uint_fast16_t, uint_fast32_t, uint_fast64_t;\n";

constexpr const char* kLimits =
    "#pragma once\n"
    "#define CHAR_BIT 8\n"
    "#define SCHAR_MAX 127\n"
    "#define SCHAR_MIN (-128)\n"
    "#define UCHAR_MAX 255\n"
    "#define CHAR_MAX __SCHAR_MAX__\n"
    "#define CHAR_MIN (-__SCHAR_MAX__ - 1)\n"
    "#define SHRT_MAX __SHRT_MAX__\n"
    "#define SHRT_MIN (-__SHRT_MAX__ - 1)\n"
    "#define USHRT_MAX (__SHRT_MAX__ * 2 + 1)\n"
    "#define INT_MAX __INT_MAX__\n"
    "#define INT_MIN (-__INT_MAX__ - 1)\n"
    "#define UINT_MAX (__INT_MAX__ * 2U + 1U)\n"
    "#define LONG_MAX __LONG_MAX__\n"
    "#define LONG_MIN (-__LONG_MAX__ - 1L)\n"
    "#define ULONG_MAX (__LONG_MAX__ * 2UL + 1UL)\n";

constexpr const char* kBoolean =
    "#pragma once\n"
    "#define bool _Bool\n"
    "#define true 1\n"
    "#define false 0\n";

constexpr const char* kOutput =
    "#pragma once\n"
    "#include <stddef.h>\n"
    "typedef struct thrum_file FILE;\n"
    "extern FILE *stdin, *stdout, *stderr;\n"
    "int printf(const char *, ...);\n"
    "int fprintf(FILE *, const char *, ...);\n"
    "int puts(const char *);\n"
    "int putchar(int);\n"
    "int fflush(FILE *);\n"
    "void perror(const char *);\n";

constexpr const char* kGeneral =
    "#pragma once\n"
    "#include <stddef.h>\n"
    "#define EXIT_SUCCESS 0\n"
    "#define EXIT_FAILURE 1\n"
    "void abort(void) __attribute__((noreturn));\n"
    "void exit(int) __attribute__((noreturn));\n"
    "void _Exit(int) __attribute__((noreturn));\n"
    "int rand(void);\n"
    "void srand(unsigned);\n";

constexpr const char* kSystem =
    "#pragma once\n"
    "#include <stddef.h>\n"
    "unsigned sleep(unsigned);\n"
    "int usleep(unsigned);\n"
    "void _exit(int) __attribute__((noreturn));\n"
    "int sched_yield(void);\n";

}  // namespace

const std::vector<Header>& headers() {
  static const std::string folder = std::string(kHeadersFolder) + '/';
  static const std::vector<Header> all = {
      {folder + "assert.h", kAssert},
      {folder + "stddef.h", kNull},
      {folder + "pthread.h", kThreads},
      {folder + "stdint.h", kIntegers},
      {folder + "inttypes.h", "#include <stdint.h>\n"},
      {folder + "limits.h", kLimits},
      {folder + "stdbool.h", kBoolean},
      {folder + "stdio.h", kOutput},
      {folder + "stdlib.h", kGeneral},
      {folder + "unistd.h", kSystem},
      {folder + "sched.h", kSystem},
  };
  return all;
}

}  // namespace thrum::cprogram
