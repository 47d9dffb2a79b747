// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Answers system calls about descriptors: see descriptors.hpp.

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <string>

#include "runtime/base/engine.hpp"
#include "runtime/base/notes.hpp"
#include "runtime/intercept/intercept.hpp"
#include "runtime/kernel/descriptors.hpp"
#include "runtime/kernel/files.hpp"
#include "runtime/kernel/output.hpp"
#include "runtime/kernel/system_call_table.hpp"
#include "support/raw_syscall.hpp"

namespace thrum {

namespace {

// The buffers of read, readv and the like. Calls visit(address, size).
template <typename Visit>
void for_each_buffer(const SystemCall& call, Visit visit) {
  const long* a = call.arguments;
  switch (call.number) {
    case SYS_readv:
    case SYS_writev:
    case SYS_preadv:
    case SYS_pwritev:
    case SYS_preadv2:
    case SYS_pwritev2: {
      const auto* vector = reinterpret_cast<const iovec*>(a[1]);
      for (long i = 0; i < a[2]; ++i)
        visit(reinterpret_cast<long>(vector[i].iov_base), static_cast<long>(vector[i].iov_len));
      return;
    }
    default: visit(a[1], a[2]);
  }
}

bool has_own_offset(long number) {
  return number == SYS_pread64 || number == SYS_pwrite64 || number == SYS_preadv || number == SYS_pwritev ||
         number == SYS_preadv2 || number == SYS_pwritev2;
}

const char* name_of(const SystemCall& call) { return find_system_call(call.number)->name; }

}  // namespace

bool Descriptors::answer(const SystemCall& call, long& result) {
  switch (call.number) {
    case SYS_open:
    case SYS_openat:
    case SYS_openat2:
    case SYS_creat: result = open(call); break;
    case SYS_close: result = close(call.arguments[0]); break;
    case SYS_close_range: result = close_range(call); break;
    case SYS_dup: result = duplicate(call, call.arguments[0]); break;
    case SYS_dup2:
    case SYS_dup3: result = duplicate_to(call); break;
    case SYS_fcntl: result = control(call); break;
    case SYS_eventfd:
    case SYS_eventfd2:
    case SYS_memfd_create:
    case SYS_epoll_create:
    case SYS_epoll_create1:
    case SYS_inotify_init:
    case SYS_inotify_init1:
    case SYS_timerfd_create:
    case SYS_signalfd:
    case SYS_signalfd4:
    case SYS_pidfd_open:
    case SYS_socket: result = make_one(call); break;
    case SYS_pipe:
    case SYS_pipe2:
      prepare_buffer(call.arguments[0], 2 * sizeof(int));
      result = make_pair(call, reinterpret_cast<const int*>(call.arguments[0]));
      break;
    case SYS_socketpair:
      prepare_buffer(call.arguments[3], 2 * sizeof(int));
      result = make_pair(call, reinterpret_cast<const int*>(call.arguments[3]));
      break;
    case SYS_read:
    case SYS_readv:
    case SYS_pread64:
    case SYS_preadv:
    case SYS_preadv2:
    case SYS_getdents:
    case SYS_getdents64: result = read(call); break;
    case SYS_write:
    case SYS_writev:
    case SYS_pwrite64:
    case SYS_pwritev:
    case SYS_pwritev2: result = write(call); break;
    case SYS_lseek:
      touch(look(call.arguments[0]));
      result = perform(call);
      break;
    default: return answer_rarer(call, result);
  }
  return true;
}

bool Descriptors::answer_rarer(const SystemCall& call, long& result) {
  switch (call.number) {
    case SYS_ftruncate:
    case SYS_fallocate:
    case SYS_flock:
    case SYS_fchmod:
    case SYS_fchown:
    case SYS_fsetxattr:
    case SYS_fremovexattr: result = change_file(call); break;
    case SYS_sendfile: result = transfer(call, call.arguments[1], call.arguments[0]); break;
    case SYS_copy_file_range: result = transfer(call, call.arguments[0], call.arguments[2]); break;
    case SYS_ioctl: result = ask_device(call); break;
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6:
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2: result = wait_for(call); break;
    case SYS_accept:
    case SYS_accept4:
    case SYS_connect:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg: result = use_socket(call); break;
    default: return false;
  }
  return true;
}

long Descriptors::open(const SystemCall& call) {
  const long* a = call.arguments;
  bool names_folder = call.number == SYS_openat || call.number == SYS_openat2;
  long folder = names_folder ? a[0] : AT_FDCWD;
  const char* path = reinterpret_cast<const char*>(names_folder ? a[1] : a[0]);
  long flags = call.number == SYS_openat    ? a[2]
               : call.number == SYS_openat2 ? *reinterpret_cast<const long*>(a[2])  // open_how::flags
               : call.number == SYS_open    ? a[1]
                                            : O_CREAT | O_WRONLY | O_TRUNC;
  struct stat status {};
  bool existed = raw_syscall(SYS_newfstatat, folder, reinterpret_cast<long>(path),
                             reinterpret_cast<long>(&status), 0) == 0;
  if (existed && S_ISFIFO(status.st_mode) && (flags & O_NONBLOCK) == 0)
    lose_control_by_call("open of a named pipe, which may wait");
  bool nameless = (flags & O_TMPFILE) == O_TMPFILE;
  bool makes = !existed && !nameless && (flags & O_CREAT) != 0;
  bool empties = existed && S_ISREG(status.st_mode) && status.st_size != 0 && (flags & O_TRUNC) != 0;
  if (makes) Files::will_make();
  long result = perform(call);
  if (result < 0) return result;
  opened(result, classify(result), -1);
  Open& mine = now_[static_cast<std::size_t>(result)];
  bool writes = (flags & O_ACCMODE) != O_RDONLY;
  std::string full = writes || !existed ? Files::path_of(result) : std::string();
  if (makes) files().made(full);
  mine.made = mine.kind == Kind::file && (nameless || (writes && files().is_made(full)));
  if (empties && !mine.made)
    notes().uncontrolled_call("open, which empties a file from before the execution");
  return result;
}

long Descriptors::close(long descriptor) {
  if (look(descriptor).kind == Kind::closed)
    return descriptor >= first_own_descriptor() ? -EBADF : raw_syscall(SYS_close, descriptor);
  keep_backup(descriptor);
  now_[static_cast<std::size_t>(descriptor)] = {};
  return raw_syscall(SYS_close, descriptor);
}

long Descriptors::close_range(const SystemCall& call) {
  if (call.arguments[2] != 0) lose_control_by_call("close_range with flags");
  auto first = static_cast<std::size_t>(static_cast<unsigned>(call.arguments[0]));
  auto last = static_cast<std::size_t>(static_cast<unsigned>(call.arguments[1]));
  if (first > last) return -EINVAL;
  for (std::size_t i = first; i < now_.size() && i <= last; ++i) {
    if (now_[i].kind != Kind::closed) close(static_cast<long>(i));
  }
  return 0;
}

long Descriptors::duplicate(const SystemCall& call, long from) {
  long result = perform(call);
  if (result < 0) return result;
  Open source = look(from);
  opened(result, source.kind, source.identity);
  Open& copy = now_[static_cast<std::size_t>(result)];
  copy.made = source.made;
  copy.origin = source.origin;
  return result;
}

long Descriptors::duplicate_to(const SystemCall& call) {
  long from = call.arguments[0];
  long to = call.arguments[1];
  if (from == to) return perform(call);
  if (raw_syscall(SYS_fcntl, from, F_GETFD) < 0) return -EBADF;
  if (look(to).kind != Kind::closed) keep_backup(to);
  return duplicate(call, from);
}

long Descriptors::control(const SystemCall& call) {
  Open mine = look(call.arguments[0]);
  switch (call.arguments[1]) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC: return duplicate(call, call.arguments[0]);
    case F_GETFD:
    case F_GETFL:
    case F_GETLK:
    case F_OFD_GETLK:
    case F_GETOWN:
    case F_GETPIPE_SZ:
    case F_GET_SEALS: return perform(call);
    case F_SETFD:
    case F_SETFL:
      changed_ = true;
      if (mine.origin >= 0) kept_[static_cast<std::size_t>(mine.origin)].flags_changed = true;
      return perform(call);
    default: break;
  }
  if (!mine.here) notes().uncontrolled_call("fcntl, to change what was open before the execution");
  bool waits = call.arguments[1] == F_SETLKW || call.arguments[1] == F_OFD_SETLKW;
  if (!waits) return perform(call);
  stay_alone("its executions lock files");
  SystemCall once = call;
  once.arguments[1] = call.arguments[1] == F_SETLKW ? F_SETLK : F_OFD_SETLK;
  long result = perform(once);
  if (result == -EAGAIN || result == -EACCES) lose_control_by_call("fcntl, to wait for a lock");
  return result;
}

long Descriptors::make_one(const SystemCall& call) {
  bool of_its_own = (call.number == SYS_signalfd || call.number == SYS_signalfd4) && call.arguments[0] >= 0;
  long result = perform(call);
  if (result >= 0 && !of_its_own) {
    bool file = call.number == SYS_memfd_create;
    opened(result, file ? Kind::file : Kind::channel, -1);
    now_[static_cast<std::size_t>(result)].made = file;
  }
  return result;
}

long Descriptors::make_pair(const SystemCall& call, const int* pair) {
  long result = perform(call);
  if (result < 0) return result;
  opened(pair[0], Kind::channel, -1);
  opened(pair[1], Kind::channel, look(pair[0]).identity);
  return result;
}

// Refuses a call that would wait.
void Descriptors::check_ready(const SystemCall& call, long descriptor, short events) {
  pollfd ask{static_cast<int>(descriptor), events, 0};
  if (raw_syscall(SYS_poll, reinterpret_cast<long>(&ask), 1, 0) != 0) return;
  if ((raw_syscall(SYS_fcntl, descriptor, F_GETFL) & O_NONBLOCK) != 0) return;
  lose_control_by_call(std::string(name_of(call)) + " where it would wait");
}

long Descriptors::read(const SystemCall& call) {
  long descriptor = call.arguments[0];
  Open mine = look(descriptor);
  for_each_buffer(call, prepare_buffer);
  switch (mine.kind) {
    case Kind::random: {
      long done = 0;
      for_each_buffer(call, [&](long address, long size) {
        Random random = draw_random();
        auto* bytes = reinterpret_cast<unsigned char*>(address);
        for (long i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(random.next());
        done += size;
      });
      return done;
    }
    case Kind::input:
      notes().uncontrolled(
          "standard-input",
          "the program reads its standard input, which was taken as empty, since it is no file; "
          "give it one (< FILE)");
      return 0;
    case Kind::channel:
    case Kind::device:
    case Kind::output:
      check_ready(call, descriptor, POLLIN);
      note_user(mine, true);
      break;
    case Kind::file:
      note_user(mine, true);
      if (!has_own_offset(call.number)) touch(mine);
      break;
    case Kind::zero:
    case Kind::closed: break;
  }
  return perform(call);
}

long Descriptors::write(const SystemCall& call) {
  long descriptor = call.arguments[0];
  Open mine = look(descriptor);
  switch (mine.kind) {
    case Kind::output: {
      if (world.job->replay) return perform(call);
      long done = 0;
      for_each_buffer(call, [&](long address, long size) {
        output().add(reinterpret_cast<const char*>(address), static_cast<std::size_t>(size));
        done += size;
      });
      return done;
    }
    case Kind::channel:
    case Kind::device:
    case Kind::input:
      check_ready(call, descriptor, POLLOUT);
      note_user(mine, false);
      break;
    case Kind::file: {
      touch(mine);
      if (mine.made) {
        note_user(mine, false);
        break;
      }
      stay_alone("its executions write to files");
      // Appended bytes are cut off again.
      const Kept* kept = mine.origin >= 0 ? &kept_[static_cast<std::size_t>(mine.origin)] : nullptr;
      bool appends =
          kept &&
          ((kept->status_flags & O_APPEND) != 0 ||
           (!has_own_offset(call.number) && raw_syscall(SYS_lseek, descriptor, 0, SEEK_CUR) >= kept->size));
      if (appends) {
        kept_[static_cast<std::size_t>(mine.origin)].enlarged = true;
      } else {
        notes().uncontrolled_call(std::string(name_of(call)) + " to a file from before the execution");
      }
      break;
    }
    case Kind::random:
    case Kind::zero:
    case Kind::closed: break;
  }
  return perform(call);
}

long Descriptors::change_file(const SystemCall& call) {
  Open mine = look(call.arguments[0]);
  if (!mine.made && mine.kind == Kind::file)
    notes().uncontrolled_call(std::string(name_of(call)) + " of a file from before the execution");
  if (call.number != SYS_flock) return perform(call);
  stay_alone("its executions lock files");
  SystemCall once = call;
  once.arguments[1] |= LOCK_NB;
  long result = perform(once);
  if (result == -EWOULDBLOCK && once.arguments[1] != call.arguments[1])
    lose_control_by_call("flock where it would wait");
  return result;
}

long Descriptors::transfer(const SystemCall& call, long from, long to) {
  Open target = look(to);
  if (!target.made)
    notes().uncontrolled_call(std::string(name_of(call)) + " to what was there before the execution");
  touch(look(from));
  touch(target);
  note_user(look(from), true);
  return perform(call);
}

long Descriptors::ask_device(const SystemCall& call) {
  Open mine = look(call.arguments[0]);
  long request = call.arguments[1];
  constexpr long kQuestions[] = {TCGETS, TIOCGWINSZ, FIONREAD, TIOCGPGRP, TIOCOUTQ, 0x802c542a /* TCGETS2 */};
  bool question = std::find(std::begin(kQuestions), std::end(kQuestions), request) != std::end(kQuestions);
  if (request == FIONBIO && mine.origin >= 0) {
    changed_ = true;
    kept_[static_cast<std::size_t>(mine.origin)].flags_changed = true;
  } else if (!question && !mine.here && mine.kind != Kind::closed) {
    notes().uncontrolled_call("ioctl, to change what was open before the execution");
  }
  return perform(call);
}

// poll and the like: asks once without waiting.
long Descriptors::wait_for(const SystemCall& call) {
  timespec none{};
  timeval zero{};
  const long* a = call.arguments;
  SystemCall once = call;
  bool waits = true;
  auto is_zero = [](long time) {
    const auto* words = reinterpret_cast<const long*>(time);  // timespec or timeval
    return time != 0 && words[0] == 0 && words[1] == 0;
  };
  switch (call.number) {
    case SYS_poll:
      waits = a[2] != 0;
      once.arguments[2] = 0;
      break;
    case SYS_ppoll:
      waits = !is_zero(a[2]);
      once.arguments[2] = reinterpret_cast<long>(&none);
      break;
    case SYS_select:
      waits = !is_zero(a[4]);
      once.arguments[4] = reinterpret_cast<long>(&zero);
      break;
    case SYS_pselect6:
      waits = !is_zero(a[4]);
      once.arguments[4] = reinterpret_cast<long>(&none);
      break;
    case SYS_epoll_pwait2:
      waits = !is_zero(a[3]);
      once.arguments[3] = reinterpret_cast<long>(&none);
      break;
    default:  // epoll_wait, epoll_pwait
      waits = a[3] != 0;
      once.arguments[3] = 0;
  }
  long result = perform(once);
  if (result == 0 && waits) lose_control_by_call(std::string(name_of(call)) + " where it would wait");
  return result;
}

long Descriptors::use_socket(const SystemCall& call) {
  long descriptor = call.arguments[0];
  bool sends = call.number == SYS_sendto || call.number == SYS_sendmsg || call.number == SYS_sendmmsg;
  if (call.number == SYS_recvfrom) prepare_buffer(call.arguments[1], call.arguments[2]);
  if (call.number == SYS_recvmsg) {
    const auto* message = reinterpret_cast<const msghdr*>(call.arguments[1]);
    for (std::size_t i = 0; i < message->msg_iovlen; ++i) {
      prepare_buffer(reinterpret_cast<long>(message->msg_iov[i].iov_base),
                     static_cast<long>(message->msg_iov[i].iov_len));
    }
  }
  bool at_once =
      call.number != SYS_accept && call.number != SYS_accept4 && call.number != SYS_connect &&
      (call.arguments[call.number == SYS_recvmsg || call.number == SYS_sendmsg ? 2 : 3] & MSG_DONTWAIT) != 0;
  if (call.number == SYS_connect && (raw_syscall(SYS_fcntl, descriptor, F_GETFL) & O_NONBLOCK) == 0)
    lose_control_by_call("connect where it would wait");
  if (call.number != SYS_connect && !at_once) check_ready(call, descriptor, sends ? POLLOUT : POLLIN);
  note_user(look(descriptor), !sends);
  long result = perform(call);
  bool accepts = call.number == SYS_accept || call.number == SYS_accept4;
  if (accepts && result >= 0) opened(result, Kind::channel, -1);
  return result;
}

}  // namespace thrum
