// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of libc_calls.def as types. NAME_call{code}.run(arguments...) notes what the call reads and
// writes, and makes the call. If nothing is noted at present, it only makes the call.
#pragma once

#include <arpa/inet.h>
#include <dirent.h>
#include <fnmatch.h>
#include <grp.h>
#include <iconv.h>
#include <ifaddrs.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <net/if.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <cinttypes>

#include "runtime/libc/libc_memory.hpp"

// Not in the headers: the version of POSIX, under glibc's own name.
extern "C" int __xpg_strerror_r(int error, char* to, size_t size);

namespace thrum {

using Comparison = int(const void*, const void*);
using ComparisonWith = int(const void*, const void*, void*);

// Removes the parentheses of a list.
#define LIBC_LIST(...) __VA_ARGS__

#define LIBC_CALL(result_type, name, parameters, arguments, noted_before, noted_after) \
  struct name##_call : LibcCall {                                                      \
    using LibcCall::LibcCall;                                                          \
    result_type run parameters const;                                                  \
  };
#define WRAPPED LIBC_CALL
#define INTERPOSED LIBC_CALL
#define POINT LIBC_CALL
#define MODELLED(name, parameters, noted_before, noted_after) \
  struct name##_call : LibcCall {                             \
    using LibcCall::LibcCall;                                 \
    void before parameters const;                             \
    void after parameters const;                              \
  };
#include "runtime/libc/libc_calls.def"
#undef LIBC_CALL

// The body of NAME_call::run(). real: libc's function. Accesses are noted if `is_noted`.
#define LIBC_RUN(result_type, real, arguments, is_noted, noted_before, noted_after)            \
  if (!(is_noted)) return (result_type)real arguments;                                         \
  noted_before;                                                                                \
  [[maybe_unused]] const auto result = result_of([&] { return (result_type)real arguments; }); \
  noted_after;                                                                                 \
  return (result_type)result

// The result of the call; 0 if it has none.
template <typename Call>
auto result_of(Call call) {
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
    return 0;
  } else {
    return call();
  }
}

}  // namespace thrum
