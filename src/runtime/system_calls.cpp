// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/system_calls.hpp"

#include <linux/futex.h>
#include <sys/prctl.h>
#include <ucontext.h>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>

#include "runtime/failure.hpp"
#include "runtime/intercept.hpp"
#include "runtime/modules.hpp"
#include "runtime/native_program.hpp"
#include "runtime/notes.hpp"
#include "runtime/raw_syscall.hpp"
#include "runtime/snapshot.hpp"
#include "runtime/world.hpp"

namespace thrum {

namespace {

enum class Treatment : std::uint8_t {
  harmless,  // done as it is: it leaves nothing behind that an execution could see
  standard,  // harmless for the standard input, output and error, else named
  input,     // of the standard input: nothing comes; else named
  random,    // answered with the same numbers in each execution
  wake,      // futexes: waking is harmless, waiting would last for ever
  leave,     // the process ends
  named,     // done, and named in the result
  refused,   // not done, and named
};

struct Row {
  long number;
  const char* name;
  Treatment treatment;
};

// Calls that are not listed are named by their number.
constexpr Row kTable[] = {
    {SYS_write, "write", Treatment::standard},
    {SYS_writev, "writev", Treatment::standard},
    {SYS_read, "read", Treatment::input},
    {SYS_readv, "readv", Treatment::input},
    {SYS_getrandom, "getrandom", Treatment::random},
    {SYS_futex, "futex", Treatment::wake},
    {SYS_exit_group, "exit_group", Treatment::leave},
    {SYS_exit, "exit", Treatment::leave},
    {SYS_fstat, "fstat", Treatment::harmless},
    {SYS_newfstatat, "newfstatat", Treatment::harmless},
    {SYS_stat, "stat", Treatment::harmless},
    {SYS_access, "access", Treatment::harmless},
    {SYS_readlink, "readlink", Treatment::harmless},
    {SYS_getcwd, "getcwd", Treatment::harmless},
    {SYS_uname, "uname", Treatment::harmless},
    {SYS_ioctl, "ioctl", Treatment::standard},
    {SYS_lseek, "lseek", Treatment::standard},
    {SYS_getpid, "getpid", Treatment::harmless},
    {SYS_gettid, "gettid", Treatment::harmless},
    {SYS_getppid, "getppid", Treatment::harmless},
    {SYS_getuid, "getuid", Treatment::harmless},
    {SYS_geteuid, "geteuid", Treatment::harmless},
    {SYS_sched_getaffinity, "sched_getaffinity", Treatment::harmless},
    {SYS_sched_yield, "sched_yield", Treatment::harmless},
    {SYS_rt_sigprocmask, "rt_sigprocmask", Treatment::harmless},
    {SYS_tgkill, "tgkill", Treatment::harmless},
    {SYS_madvise, "madvise", Treatment::harmless},
    {SYS_mprotect, "mprotect", Treatment::named},
    {SYS_mmap, "mmap", Treatment::named},
    {SYS_munmap, "munmap", Treatment::named},
    {SYS_mremap, "mremap", Treatment::named},
    {SYS_brk, "brk", Treatment::named},
    {SYS_open, "open", Treatment::named},
    {SYS_openat, "openat", Treatment::named},
    {SYS_close, "close", Treatment::named},
    {SYS_pread64, "pread64", Treatment::named},
    {SYS_pwrite64, "pwrite64", Treatment::named},
    {SYS_fcntl, "fcntl", Treatment::named},
    {SYS_dup, "dup", Treatment::named},
    {SYS_dup2, "dup2", Treatment::named},
    {SYS_pipe, "pipe", Treatment::named},
    {SYS_pipe2, "pipe2", Treatment::named},
    {SYS_unlink, "unlink", Treatment::named},
    {SYS_rename, "rename", Treatment::named},
    {SYS_mkdir, "mkdir", Treatment::named},
    {SYS_ftruncate, "ftruncate", Treatment::named},
    {SYS_rt_sigaction, "rt_sigaction", Treatment::named},
    {SYS_kill, "kill", Treatment::named},
    {SYS_socket, "socket", Treatment::named},
    {SYS_socketpair, "socketpair", Treatment::named},
    {SYS_bind, "bind", Treatment::named},
    {SYS_listen, "listen", Treatment::named},
    {SYS_sendto, "sendto", Treatment::named},
    {SYS_sendmsg, "sendmsg", Treatment::named},
    {SYS_timer_create, "timer_create", Treatment::refused},
    {SYS_setitimer, "setitimer", Treatment::refused},
    {SYS_clone, "clone", Treatment::refused},
    {SYS_clone3, "clone3", Treatment::refused},
    {SYS_fork, "fork", Treatment::refused},
    {SYS_vfork, "vfork", Treatment::refused},
    {SYS_execve, "execve", Treatment::refused},
    {SYS_execveat, "execveat", Treatment::refused},
    {SYS_wait4, "wait4", Treatment::refused},
    {SYS_waitid, "waitid", Treatment::refused},
    {SYS_connect, "connect", Treatment::refused},
    {SYS_accept, "accept", Treatment::refused},
    {SYS_accept4, "accept4", Treatment::refused},
    {SYS_recvfrom, "recvfrom", Treatment::refused},
    {SYS_recvmsg, "recvmsg", Treatment::refused},
    {SYS_poll, "poll", Treatment::refused},
    {SYS_ppoll, "ppoll", Treatment::refused},
    {SYS_select, "select", Treatment::refused},
    {SYS_pselect6, "pselect6", Treatment::refused},
    {SYS_epoll_wait, "epoll_wait", Treatment::refused},
    {SYS_epoll_pwait, "epoll_pwait", Treatment::refused},
    {SYS_pause, "pause", Treatment::refused},
    {SYS_rt_sigsuspend, "rt_sigsuspend", Treatment::refused},
    {SYS_rt_sigtimedwait, "rt_sigtimedwait", Treatment::refused},
    {SYS_nanosleep, "nanosleep", Treatment::refused},
    {SYS_clock_nanosleep, "clock_nanosleep", Treatment::refused},
};

struct Call {
  long number;
  long arguments[6];
};

// Set to let calls through (PR_SYS_DISPATCH_*); read by the kernel at each call.
volatile char g_selector = SYSCALL_DISPATCH_FILTER_ALLOW;
bool g_watching = false;

// The kernel takes no fault at a protected page but fails; then the pages that the call may have meant are
// made writable, and it is made again.
long perform(const Call& call) {
  const long* a = call.arguments;
  long result = raw_syscall(call.number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (result != -EFAULT) return result;
  constexpr std::uint64_t kBufferMax = 1 << 16;
  for (int i = 0; i < 6; ++i) {
    auto size = i < 5 ? static_cast<std::uint64_t>(a[i + 1]) : 0;  // mostly the size follows the buffer
    snapshot().prepare_write(static_cast<std::uint64_t>(a[i]),
                             std::clamp<std::uint64_t>(size, 256, kBufferMax));
  }
  return raw_syscall(call.number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

long fill_with_random(const Call& call) {
  auto* bytes = reinterpret_cast<unsigned char*>(call.arguments[0]);
  auto size = static_cast<std::size_t>(call.arguments[1]);
  Random random = draw_random();
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(random.next());
  return static_cast<long>(size);
}

long answer(const Call& call) {
  const Row* row = std::find_if(std::begin(kTable), std::end(kTable),
                                [&](const Row& r) { return r.number == call.number; });
  if (row == std::end(kTable)) {
    notes().uncontrolled_call("system call " + std::to_string(call.number));
    return perform(call);
  }
  constexpr long kInput = 0;
  constexpr long kError = 2;  // the last of the three
  long descriptor = call.arguments[0];
  switch (row->treatment) {
    case Treatment::harmless: return perform(call);
    case Treatment::standard:
      if (descriptor < kInput || descriptor > kError) notes().uncontrolled_call(row->name);
      return perform(call);
    case Treatment::input:
      if (descriptor != kInput) {
        notes().uncontrolled_call(row->name);
        return perform(call);
      }
      notes().uncontrolled_call("read of the standard input (taken as empty)");
      return 0;
    case Treatment::random: return fill_with_random(call);
    case Treatment::wake:
      if ((call.arguments[1] & FUTEX_CMD_MASK) == FUTEX_WAKE) return 0;
      lose_control("uncontrolled-wait", "a library that is not instrumented waits for another thread");
    case Treatment::leave: exit_process(static_cast<int>(call.arguments[0]));
    case Treatment::named: notes().uncontrolled_call(row->name); return perform(call);
    case Treatment::refused: notes().uncontrolled_call(row->name); return -ENOSYS;
  }
  return -ENOSYS;
}

void on_system_call(int, siginfo_t* info, void* raw_context) {
  greg_t* registers = static_cast<ucontext_t*>(raw_context)->uc_mcontext.gregs;
  world.wrote = true;  // what a call changes is not seen; so no loop that makes one is taken for a spin
  Call call{info->si_syscall,
            {registers[REG_RDI], registers[REG_RSI], registers[REG_RDX], registers[REG_R10],
             registers[REG_R8], registers[REG_R9]}};
  registers[REG_RAX] = answer(call);
}

}  // namespace

void watch_system_calls() {
  handle_signal(SIGSYS, on_system_call);
  const CodeRange& own = runtime_range();
  long result =
      raw_syscall(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, static_cast<long>(own.begin),
                  static_cast<long>(own.end - own.begin), reinterpret_cast<long>(&g_selector));
  g_watching = result == 0;
  if (!g_watching) notes().system_calls_not_watched();
}

void catch_system_calls(bool on) {
  g_selector = on && g_watching ? SYSCALL_DISPATCH_FILTER_BLOCK : SYSCALL_DISPATCH_FILTER_ALLOW;
}

}  // namespace thrum
