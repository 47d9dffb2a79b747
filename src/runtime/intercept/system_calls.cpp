// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernel/system_call_watch.hpp"

#include <asm/prctl.h>
#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>

#include "runtime/base/engine.hpp"
#include "runtime/base/modules.hpp"
#include "runtime/base/notes.hpp"
#include "runtime/base/world.hpp"
#include "runtime/intercept/intercept.hpp"
#include "runtime/intercept/signal_calls.hpp"
#include "runtime/kernel/descriptors.hpp"
#include "runtime/kernel/files.hpp"
#include "runtime/kernel/system_call_table.hpp"
#include "runtime/memory/mappings.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/shortcuts/known_ends.hpp"
#include "runtime/threads/random_numbers.hpp"
#include "runtime/threads/record.hpp"
#include "support/raw_syscall.hpp"

namespace thrum {

namespace {

template <typename T>
T* pointer(long argument) {
  return reinterpret_cast<T*>(argument);
}

long fill_with_random(const SystemCall& call) {
  auto* bytes = pointer<unsigned char>(call.arguments[0]);
  auto size = static_cast<std::size_t>(call.arguments[1]);
  Random random = draw_random();
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(random.next());
  return static_cast<long>(size);
}

// Threads wait in the scheduler only, whether libc or the program waits; so there is no thread to wake.
long answer_futex(const SystemCall& call) {
  long operation = call.arguments[1] & FUTEX_CMD_MASK;
  if (operation == FUTEX_WAKE || operation == FUTEX_WAKE_BITSET || operation == FUTEX_WAKE_OP) return 0;
  bool waits = operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET;
  if (waits && *pointer<volatile int>(call.arguments[0]) != static_cast<int>(call.arguments[2]))
    return -EAGAIN;
  lose_control("uncontrolled-wait",
               "a thread waits for another in code that is not instrumented, which is not under control");
}

long answer_clock(const SystemCall& call) {
  const long* a = call.arguments;
  timespec now = virtual_to_clock(static_cast<clockid_t>(a[0]), virtual_now());
  timespec real = virtual_to_clock(CLOCK_REALTIME, virtual_now());
  switch (call.number) {
    case SYS_clock_gettime: *pointer<timespec>(a[1]) = now; return 0;
    case SYS_clock_getres:
      if (a[1] != 0) *pointer<timespec>(a[1]) = {0, 1};
      return 0;
    case SYS_gettimeofday:
      if (a[0] != 0) *pointer<timeval>(a[0]) = {real.tv_sec, real.tv_nsec / 1'000};
      return 0;
    case SYS_time:
      if (a[0] != 0) *pointer<time_t>(a[0]) = real.tv_sec;
      return real.tv_sec;
    case SYS_times:
      if (a[0] != 0) *pointer<tms>(a[0]) = {};
      return static_cast<long>(virtual_now() / 10'000'000);
    default: {  // getrusage
      rusage usage{};
      usage.ru_utime = {static_cast<time_t>(virtual_now() / 1'000'000'000),
                        static_cast<long>(virtual_now() / 1'000 % 1'000'000)};
      *pointer<rusage>(a[1]) = usage;
      return 0;
    }
  }
}

long virtualise(const SystemCall& call) {
  const long* a = call.arguments;
  long result;
  if (answer_signal_call(call.number, a, result)) return result;
  switch (call.number) {
    case SYS_getpid: return world.process;
    case SYS_getrandom: prepare_buffer(a[0], a[1]); return fill_with_random(call);
    case SYS_futex: return answer_futex(call);
    case SYS_exit:
    case SYS_exit_group: exit_process(static_cast<int>(a[0]));
    case SYS_kill:
    case SYS_tgkill: lose_control_by_call("a signal to another process");
    case SYS_getitimer: *pointer<itimerval>(a[1]) = {}; return 0;
    case SYS_sigaltstack:
      if (a[1] != 0) *pointer<stack_t>(a[1]) = {nullptr, SS_DISABLE, 0};
      return 0;
    case SYS_clock_gettime:
    case SYS_clock_getres:
    case SYS_gettimeofday:
    case SYS_time:
    case SYS_times:
    case SYS_getrusage: return answer_clock(call);
    default: return 0;
  }
}

// The signal at the death of the parent belongs to the supervisor: the program has not asked for one.
bool asks_for_death_signal(const SystemCall& call) {
  return call.number == SYS_prctl && call.arguments[0] == PR_GET_PDEATHSIG;
}

// The only children are those of the set-up.
long wait_for_child(const SystemCall& call) {
  long options = call.arguments[call.number == SYS_wait4 ? 2 : 3];
  SystemCall once = call;
  once.arguments[call.number == SYS_wait4 ? 2 : 3] = options | WNOHANG;
  long result = perform(once);
  if (result < 0) return result;
  lose_control_by_call("wait for a child process");
}

bool is_harmless(const SystemCall& call) {
  switch (call.number) {
    case SYS_arch_prctl: return call.arguments[0] == ARCH_GET_FS || call.arguments[0] == ARCH_GET_GS;
    case SYS_prctl: {
      constexpr long kHarmless[] = {PR_SET_NAME,     PR_GET_NAME,       PR_GET_DUMPABLE,
                                    PR_SET_VMA,      PR_GET_TIMERSLACK, PR_SET_TIMERSLACK,
                                    PR_CAPBSET_READ, PR_GET_SECCOMP,    PR_GET_NO_NEW_PRIVS};
      return std::find(std::begin(kHarmless), std::end(kHarmless), call.arguments[0]) != std::end(kHarmless);
    }
    default: return true;
  }
}

// The dynamic loader opens a file: libc itself is about to load a library (for iconv, host names and the
// like).
[[noreturn]] void refuse_loading(const SystemCall& call) {
  std::string name = call.number == SYS_openat ? pointer<const char>(call.arguments[1]) : "a library";
  lose_control("uncontrolled-call", "libc loads " + name + " in an execution, which is not under control");
}

}  // namespace

void on_system_call(int, siginfo_t* info, void* raw_context) {
  greg_t* registers = static_cast<ucontext_t*>(raw_context)->uc_mcontext.gregs;
  world.wrote = true;  // the changes of a call are not seen, so no loop with a call is a spin
  SystemCall call{info->si_syscall,
                  {registers[REG_RDI], registers[REG_RSI], registers[REG_RDX], registers[REG_R10],
                   registers[REG_R8], registers[REG_R9]}};
  if (loader_range().holds(reinterpret_cast<std::uint64_t>(info->si_call_addr))) refuse_loading(call);
  registers[REG_RAX] = answer_system_call(call);
}

// The kernel does not fault at a protected page: the call fails. Then the pages that the call may have meant
// are made writable, and it is made again.
long perform(const SystemCall& call) {
  const long* a = call.arguments;
  long result = raw_syscall(call.number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (result != -EFAULT) return result;
  constexpr long kBufferMax = 1 << 16;
  for (int i = 0; i < 6; ++i) {
    long size = i < 5 ? a[i + 1] : 0;  // mostly the size follows the buffer
    prepare_buffer(a[i], std::clamp<long>(size, 256, kBufferMax));
  }
  return raw_syscall(call.number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

void prepare_buffer(long address, long size) {
  if (size > 0)
    snapshot().prepare_write(static_cast<std::uint64_t>(address), static_cast<std::uint64_t>(size));
}

long answer_system_call(const SystemCall& call) {
  const SystemCallRow* row = find_system_call(call.number);
  world.made_calls = true;
  ++livelock_watch.hidden_changes;
  known_ends().give_up();
  if (__builtin_expect(world.recording, 0)) {
    take_written_value();
    if (engine.records_values) write_values_out();
  }
  if (!row) {
    notes().uncontrolled_call("system call " + std::to_string(call.number));
    return perform(call);
  }
  long result;
  switch (row->treatment) {
    case Treatment::allowed:
      if (asks_for_death_signal(call)) {
        prepare_buffer(call.arguments[1], sizeof(int));
        *pointer<int>(call.arguments[1]) = 0;
        return 0;
      }
      if (!is_harmless(call)) lose_control_by_call(row->name);
      return descriptors().answer(call, result) ? result : perform(call);
    case Treatment::virtualised: return virtualise(call);
    case Treatment::undone:
      if (descriptors().answer(call, result) || files().answer(call, result) ||
          mappings().answer(call, result))
        return result;
      return wait_for_child(call);
    case Treatment::named:
      notes().uncontrolled_call(row->name);
      return descriptors().answer(call, result) ? result : perform(call);
    case Treatment::refused: break;
  }
  lose_control_by_call(row->name);
}

}  // namespace thrum
