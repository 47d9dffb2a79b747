// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libc's functions that read and write memory for the program, and whose names are not libc's alone: a
// program that defines one of its own means that. The rows INTERPOSED of libc_calls.def.
//
// Libraries that are not instrumented call them too, which is no access of the program's.

#include "runtime/libc/libc_calls.hpp"

using namespace thrum;

#define INTERPOSED(result_type, name, parameters, arguments, noted_before, noted_after)        \
  result_type thrum::name##_call::run parameters const {                                       \
    THRUM_REAL(name);                                                                          \
    LIBC_RUN(result_type, real, arguments, notes_libc_for(code()), noted_before, noted_after); \
  }                                                                                            \
  THRUM_EXPORT result_type name parameters { return name##_call{THRUM_CALLER}.run arguments; }
#include "runtime/libc/libc_calls.def"

// What the runtime does by itself, in other files.
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
