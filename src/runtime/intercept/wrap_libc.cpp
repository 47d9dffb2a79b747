// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libc's functions that read and write memory for the program. Compilers leave many calls of them without a
// callback.
//
// The driver links with --wrap for each, so that the program's calls, and only those, come here. Each notes
// what it reads and writes and makes the call: the rows WRAPPED of libc_calls.def. wrap_fortified.cpp has the
// forms of _FORTIFY_SOURCE, wrap_formatted.cpp the functions with formats.
//
// Rejected: interposing them under their own names. The calls of the runtime and of libc would come here too.

#include "runtime/libc/libc_calls.hpp"

using namespace thrum;

#define WRAPPED(result_type, name, parameters, arguments, noted_before, noted_after)   \
  result_type thrum::name##_call::run parameters const {                               \
    LIBC_RUN(result_type, ::name, arguments, notes_libc(), noted_before, noted_after); \
  }                                                                                    \
  THRUM_EXPORT result_type __wrap_##name parameters { return name##_call{THRUM_CALLER}.run arguments; }
#include "runtime/libc/libc_calls.def"
