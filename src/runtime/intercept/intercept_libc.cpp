// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libc's functions that read and write memory for the program, and whose names a program may define itself;
// then its calls go to its own functions. The rows INTERPOSED of libc_calls.def.
//
// Libraries that are not instrumented call them too; those calls are no accesses of the program.

#include "runtime/libc/libc_calls.hpp"

using namespace thrum;

#define INTERPOSED(result_type, name, parameters, arguments, noted_before, noted_after)        \
  result_type thrum::name##_call::run parameters const {                                       \
    THRUM_REAL(name);                                                                          \
    LIBC_RUN(result_type, real, arguments, notes_libc_for(code()), noted_before, noted_after); \
  }                                                                                            \
  THRUM_EXPORT result_type name parameters { return name##_call{THRUM_CALLER}.run arguments; }
#include "runtime/libc/libc_calls.def"

// The runtime does the MODELLED rows itself, in other files.
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define MODELLED(name, parameters, noted_before, noted_after) \
  void thrum::name##_call::before parameters const {          \
    if (!notes_libc_for(code())) return;                      \
    noted_before;                                             \
  }                                                           \
  void thrum::name##_call::after parameters const {           \
    if (!notes_libc_for(code())) return;                      \
    noted_after;                                              \
  }
#include "runtime/libc/libc_calls.def"
