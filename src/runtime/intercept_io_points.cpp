// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls on files that are cancellation points and nothing else to us: libc's own do the work, and what
// reaches the kernel is seen by system_calls.hpp.
//
// Each tests for a cancellation first: a visible operation, but in programs that cancel no threads nothing.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <cstdarg>

#include "runtime/cancellation.hpp"
#include "runtime/intercept.hpp"

using namespace thrum;

namespace {

void test_for_cancellation(std::uint64_t code) {
  static const bool cancels = imported("pthread_cancel");
  if (!cancels || !searching()) return;
  Thread& me = scheduler().current();
  if (world.running && me.atomic_depth == 0) {
    scheduler().arrive(Operation::cancel_test, cancel_object(me), 0, code);
    scheduler().done(Scheduler::Effect::none, me.cancellation.pending ? 1 : 0);
  }
  cancellation_point(code);
}

// The third argument, where the flags say that there is one.
mode_t mode_of(int flags, va_list list) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, mode_t) : 0;
}

}  // namespace

#define POINT(result, name, parameters, arguments) \
  THRUM_EXPORT result name parameters {            \
    THRUM_REAL(name);                              \
    test_for_cancellation(THRUM_CALLER);           \
    return real arguments;                         \
  }

#define OPEN(name)                                          \
  THRUM_EXPORT int name(const char* path, int flags, ...) { \
    THRUM_REAL(name);                                       \
    va_list list;                                           \
    va_start(list, flags);                                  \
    mode_t mode = mode_of(flags, list);                     \
    va_end(list);                                           \
    test_for_cancellation(THRUM_CALLER);                    \
    return real(path, flags, mode);                         \
  }

#define OPENAT(name)                                                    \
  THRUM_EXPORT int name(int folder, const char* path, int flags, ...) { \
    THRUM_REAL(name);                                                   \
    va_list list;                                                       \
    va_start(list, flags);                                              \
    mode_t mode = mode_of(flags, list);                                 \
    va_end(list);                                                       \
    test_for_cancellation(THRUM_CALLER);                                \
    return real(folder, path, flags, mode);                             \
  }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
POINT(int, creat, (const char* path, mode_t mode), (path, mode))
POINT(int, close, (int file), (file))
POINT(ssize_t, read, (int file, void* buffer, std::size_t size), (file, buffer, size))
POINT(ssize_t, write, (int file, const void* buffer, std::size_t size), (file, buffer, size))
POINT(ssize_t, readv, (int file, const iovec* parts, int count), (file, parts, count))
POINT(ssize_t, writev, (int file, const iovec* parts, int count), (file, parts, count))
POINT(ssize_t, pread, (int file, void* buffer, std::size_t size, off_t at), (file, buffer, size, at))
POINT(ssize_t, pread64, (int file, void* buffer, std::size_t size, off64_t at), (file, buffer, size, at))
POINT(ssize_t, pwrite, (int file, const void* buffer, std::size_t size, off_t at), (file, buffer, size, at))
POINT(ssize_t, pwrite64, (int file, const void* buffer, std::size_t size, off64_t at),
      (file, buffer, size, at))
POINT(int, fsync, (int file), (file))
POINT(int, fdatasync, (int file), (file))
POINT(int, msync, (void* begin, std::size_t size, int flags), (begin, size, flags))
POINT(int, lockf, (int file, int command, off_t size), (file, command, size))
POINT(int, tcdrain, (int file), (file))
POINT(int, connect, (int socket, const sockaddr* address, socklen_t size), (socket, address, size))
POINT(int, accept, (int socket, sockaddr* address, socklen_t* size), (socket, address, size))
POINT(int, accept4, (int socket, sockaddr* address, socklen_t* size, int flags),
      (socket, address, size, flags))
POINT(ssize_t, send, (int socket, const void* buffer, std::size_t size, int flags),
      (socket, buffer, size, flags))
POINT(ssize_t, sendto,
      (int socket, const void* buffer, std::size_t size, int flags, const sockaddr* to, socklen_t to_size),
      (socket, buffer, size, flags, to, to_size))
POINT(ssize_t, sendmsg, (int socket, const msghdr* message, int flags), (socket, message, flags))
POINT(ssize_t, recv, (int socket, void* buffer, std::size_t size, int flags), (socket, buffer, size, flags))
POINT(ssize_t, recvfrom,
      (int socket, void* buffer, std::size_t size, int flags, sockaddr* from, socklen_t* from_size),
      (socket, buffer, size, flags, from, from_size))
POINT(ssize_t, recvmsg, (int socket, msghdr* message, int flags), (socket, message, flags))
POINT(pid_t, wait, (int* status), (status))
POINT(pid_t, waitpid, (pid_t process, int* status, int options), (process, status, options))
POINT(int, waitid, (idtype_t type, id_t id, siginfo_t* info, int options), (type, id, info, options))
