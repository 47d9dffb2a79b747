// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// printf, scanf and their families: the rows PRINTS and SCANS of libc_calls.def, and their forms under
// _FORTIFY_SOURCE. libc_formats.cpp finds what the formats read and write.

#include <cstdarg>

#include "runtime/libc/libc_calls.hpp"

using namespace thrum;

// Some rows do not use all parameters.
#pragma GCC diagnostic ignored "-Wunused-parameter"

namespace {

// NAME_call{code}.run(..., format, list, real) notes what the call reads and writes; real(list) makes the
// call.
#define PRINTS(name, element, parameters, arguments, noted_before, noted_after)          \
  struct name##_call : LibcCall {                                                        \
    using LibcCall::LibcCall;                                                            \
    template <typename Real>                                                             \
    int run(LIBC_LIST parameters const element* format, va_list list, Real real) const { \
      if (!notes_libc_for(code())) return real(list);                                    \
      va_list copy;                                                                      \
      va_copy(copy, list);                                                               \
      prints(format, copy);                                                              \
      va_end(copy);                                                                      \
      noted_before;                                                                      \
      const int result = real(list);                                                     \
      noted_after;                                                                       \
      return result;                                                                     \
    }                                                                                    \
  };
#define INTERPOSED_PRINTS PRINTS
#define SCANS(name, element, parameters, arguments, noted_before)                                  \
  struct name##_call : LibcCall {                                                                  \
    using LibcCall::LibcCall;                                                                      \
    template <typename Real>                                                                       \
    int run(LIBC_LIST parameters const element* format, va_list list, bool old, Real real) const { \
      if (!notes_libc()) return real(list);                                                        \
      reads_string(format);                                                                        \
      noted_before;                                                                                \
      va_list copy;                                                                                \
      va_copy(copy, list);                                                                         \
      const int result = real(list);                                                               \
      scans(format, copy, result, old);                                                            \
      va_end(copy);                                                                                \
      return result;                                                                               \
    }                                                                                              \
  };
#include "runtime/libc/libc_calls.def"

}  // namespace

// Defines NAME (with an ellipsis) by vNAME (with a list): both do WHAT(code, parameters..., format, list).
#define DEFINE_PAIR(name, list_name, what, element, parameters, arguments)               \
  THRUM_EXPORT int list_name(LIBC_LIST parameters const element* format, va_list list) { \
    return what(THRUM_CALLER, LIBC_LIST arguments format, list);                         \
  }                                                                                      \
  THRUM_EXPORT int name(LIBC_LIST parameters const element* format, ...) {               \
    va_list list;                                                                        \
    va_start(list, format);                                                              \
    const int result = what(THRUM_CALLER, LIBC_LIST arguments format, list);             \
    va_end(list);                                                                        \
    return result;                                                                       \
  }

#define PRINTS(name, element, parameters, arguments, noted_before, noted_after)                              \
  static int do_##name(std::uint64_t code, LIBC_LIST parameters const element* format, va_list list) {       \
    return name##_call{code}.run(LIBC_LIST arguments format, list,                                           \
                                 [&](va_list rest) { return ::v##name(LIBC_LIST arguments format, rest); }); \
  }                                                                                                          \
  DEFINE_PAIR(__wrap_##name, __wrap_v##name, do_##name, element, parameters, arguments)

#define INTERPOSED_PRINTS(name, element, parameters, arguments, noted_before, noted_after)              \
  static int do_##name(std::uint64_t code, LIBC_LIST parameters const element* format, va_list list) {  \
    THRUM_REAL(v##name);                                                                                \
    return name##_call{code}.run(LIBC_LIST arguments format, list,                                      \
                                 [&](va_list rest) { return real(LIBC_LIST arguments format, rest); }); \
  }                                                                                                     \
  DEFINE_PAIR(name, v##name, do_##name, element, parameters, arguments)

#define CHECKED_PRINTS(name, element, parameters, arguments, plain, fits)                            \
  extern "C" int __v##name##_chk(LIBC_LIST parameters const element* format, va_list list);          \
  static int do_checked_##name(std::uint64_t code, LIBC_LIST parameters const element* format,       \
                               va_list list) {                                                       \
    if (searching() && !(fits))                                                                      \
      fail_here(BugKind::buffer_overflow, #name " writes beyond the end of its target");             \
    return name##_call{code}.run(LIBC_LIST plain format, list, [&](va_list rest) {                   \
      return __v##name##_chk(LIBC_LIST arguments format, rest);                                      \
    });                                                                                              \
  }                                                                                                  \
  DEFINE_PAIR(__wrap___##name##_chk, __wrap___v##name##_chk, do_checked_##name, element, parameters, \
              arguments)

// libc has two of each: `a` means memory to be allocated in the old ones only. Its headers hide the old ones.
#define SCANS(name, element, parameters, arguments, noted_before)                                          \
  extern "C" int old_v##name(LIBC_LIST parameters const element* format, va_list list) __asm__("v" #name); \
  extern "C" int __isoc99_v##name(LIBC_LIST parameters const element* format, va_list list);               \
  static int do_old_##name(std::uint64_t code, LIBC_LIST parameters const element* format, va_list list) { \
    return name##_call{code}.run(LIBC_LIST arguments format, list, true, [&](va_list rest) {               \
      return old_v##name(LIBC_LIST arguments format, rest);                                                \
    });                                                                                                    \
  }                                                                                                        \
  static int do_##name(std::uint64_t code, LIBC_LIST parameters const element* format, va_list list) {     \
    return name##_call{code}.run(LIBC_LIST arguments format, list, false, [&](va_list rest) {              \
      return __isoc99_v##name(LIBC_LIST arguments format, rest);                                           \
    });                                                                                                    \
  }                                                                                                        \
  DEFINE_PAIR(__wrap_##name, __wrap_v##name, do_old_##name, element, parameters, arguments)                \
  DEFINE_PAIR(__wrap___isoc99_##name, __wrap___isoc99_v##name, do_##name, element, parameters, arguments)

#include "runtime/libc/libc_calls.def"
