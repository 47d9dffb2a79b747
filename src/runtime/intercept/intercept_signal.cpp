// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signals: their actions, masks, and sending. Waiting for signals is in intercept_signal_wait.cpp.

#include <pthread.h>
#include <cerrno>
#include <csetjmp>

#include "runtime/base/jump_buffer.hpp"
#include "runtime/base/notes.hpp"
#include "runtime/intercept/intercept.hpp"
#include "runtime/intercept/signal_calls.hpp"
#include "runtime/kernel/signals.hpp"
#include "runtime/libc/libc_calls.hpp"
#include "runtime/threads/signal_delivery.hpp"
#include "support/raw_syscall.hpp"

using namespace thrum;

using Handler = void (*)(int);

namespace {

bool may_be_used(int signal) { return is_signal(signal) && (kReservedSignals & signal_bit(signal)) == 0; }

void arrive_at_signals(Operation operation, std::uint64_t code) {
  if (world.running) scheduler().arrive(operation, kSignalState, 0, code);
}

void changed(std::uint64_t value, std::uint64_t operand = 0) {
  if (world.running) scheduler().done(Scheduler::Effect::change, value, operand);
}

int change_action(int signal, const SignalAction& action, std::uint64_t code) {
  if (!may_be_used(signal) || signal == SIGKILL || signal == SIGSTOP) return EINVAL;
  arrive_at_signals(Operation::signal_action, code);
  signals().set_action(signal, action);
  pay_attention();
  changed(static_cast<std::uint64_t>(signal));
  return 0;
}

// The variants of signal(), which imply different flags.
Handler change_handler(int signal, Handler handler, int flags, std::uint64_t code) {
  if (!may_be_used(signal)) {
    errno = EINVAL;
    return SIG_ERR;
  }
  // A handler without SA_SIGINFO uses its first argument only.
  auto before = reinterpret_cast<Handler>(reinterpret_cast<void*>(signals().action(signal).handler));
  SignalAction action;
  action.handler = reinterpret_cast<decltype(action.handler)>(reinterpret_cast<void*>(handler));
  action.flags = flags;
  return or_errno(change_action(signal, action, code)) == 0 ? before : SIG_ERR;
}

int change_mask(int how, const sigset_t* set, sigset_t* old, std::uint64_t code) {
  std::uint32_t slot = scheduler().current().slot;
  SignalSet before = signals().blocked(slot);
  SignalSet after = before;
  if (set) {
    SignalSet given = set->__val[0];
    if (how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK) return EINVAL;
    after = how == SIG_BLOCK ? before | given : how == SIG_UNBLOCK ? before & ~given : given;
    arrive_at_signals(Operation::signal_mask, code);
    signals().block(slot, after);
    changed(after);
  }
  if (old) {
    *old = {};
    old->__val[0] = before;
    pthread_sigmask_call{code}.after(old);
  }
  if (set) handle_signals(code);
  return 0;
}

// Sends a signal on behalf of the program. If it is deliverable to the caller only, it is handled before the
// call returns.
int send(Thread* target, const siginfo_t& info, std::uint64_t code) {
  arrive_at_signals(Operation::signal_send, code);
  send_signal(target, info, code);
  changed(static_cast<std::uint64_t>(info.si_signo), target ? address_of(target->stack_top) - 1 : 0);
  if (target == &scheduler().current()) {
    handle_own_signals(code);
  } else if (!target && only_mine(info.si_signo)) {
    handle_signals(code);
  }
  return 0;
}

int send_to_thread(pthread_t handle, const siginfo_t& info, std::uint64_t code) {
  int signal = info.si_signo;
  if (signal != 0 && !may_be_used(signal)) return EINVAL;
  Thread* target = find_thread(handle);
  if (!target) return ESRCH;
  return signal == 0 ? 0 : send(target, info, code);
}

int send_to_process(pid_t process, const siginfo_t& info, std::uint64_t code) {
  int signal = info.si_signo;
  if (signal != 0 && !is_signal(signal)) return EINVAL;
  auto own = world.process;
  if (process != own) {
    notes().uncontrolled_call("kill of another process (not done)");
    return EPERM;
  }
  return signal == 0 ? 0 : send(nullptr, info, code);
}

siginfo_t queued_info(int signal, const sigval& value) {
  siginfo_t info = make_info(signal, SI_QUEUE);
  info.si_value = value;
  return info;
}

// A long jump leaves signal handlers: the operations that they interrupted are dropped.
void leave_handlers(const void* jump_buffer) {
  if (!searching()) return;
  Thread& me = scheduler().current();
  std::uint64_t target = stack_pointer_of(jump_buffer);
  bool on_own_stack =
      !world.running || (address_of(me.stack_bottom) <= target && target < address_of(me.stack_top));
  while (on_own_stack && me.outer && address_of(me.outer) < target) me.outer = me.outer->outer;
}

}  // namespace

THRUM_EXPORT int sigaction(int signal, const struct sigaction* action, struct sigaction* old) noexcept {
  THRUM_FORWARD(sigaction, signal, action, old)
  if (!may_be_used(signal)) return fail_with(EINVAL);
  SignalAction before = signals().action(signal);
  if (action) {
    SignalAction changed{action->sa_sigaction, action->sa_flags, action->sa_mask.__val[0]};
    if (int error = change_action(signal, changed, THRUM_CALLER)) return fail_with(error);
  }
  if (old) {
    *old = {};
    old->sa_sigaction = before.handler;
    old->sa_flags = before.flags;
    old->sa_mask.__val[0] = before.mask;
  }
  sigaction_call{THRUM_CALLER}.after(old);
  return 0;
}

THRUM_EXPORT Handler signal(int number, Handler handler) noexcept {
  THRUM_FORWARD(signal, number, handler)
  return change_handler(number, handler, SA_RESTART, THRUM_CALLER);
}

THRUM_EXPORT Handler ssignal(int number, Handler handler) noexcept {
  THRUM_FORWARD(ssignal, number, handler)
  return change_handler(number, handler, SA_RESTART, THRUM_CALLER);
}

// signal() in strict ISO C.
THRUM_EXPORT Handler __sysv_signal(int number, Handler handler) noexcept {
  THRUM_FORWARD(__sysv_signal, number, handler)
  return change_handler(number, handler, SA_RESETHAND | SA_NODEFER, THRUM_CALLER);
}

THRUM_EXPORT int siginterrupt(int signal, int interrupts) noexcept {
  if (!searching()) {
    static auto* const real = reinterpret_cast<int (*)(int, int)>(next_function("siginterrupt"));
    return real(signal, interrupts);
  }
  if (!may_be_used(signal)) return fail_with(EINVAL);
  SignalAction action = signals().action(signal);
  action.flags = interrupts ? action.flags & ~SA_RESTART : action.flags | SA_RESTART;
  return or_errno(change_action(signal, action, THRUM_CALLER));
}

THRUM_EXPORT int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  THRUM_FORWARD(pthread_sigmask, how, set, old)
  return change_mask(how, set, old, THRUM_CALLER);
}

THRUM_EXPORT int sigprocmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  THRUM_FORWARD(sigprocmask, how, set, old)
  return or_errno(change_mask(how, set, old, THRUM_CALLER));
}

THRUM_LOOP_IMPL int sigpending_impl(sigset_t* set) {
  THRUM_FORWARD(sigpending, set)
  if (world.running) scheduler().arrive_in_loop(Operation::signal_pending, kSignalState, 0, THRUM_CALLER);
  std::uint32_t slot = scheduler().current().slot;
  *set = {};
  set->__val[0] = signals().pending(slot) & signals().blocked(slot);
  if (world.running) scheduler().done(Scheduler::Effect::read, set->__val[0]);
  sigpending_call{THRUM_CALLER}.after(set);
  return 0;
}

THRUM_EXPORT int sigaltstack(const stack_t* stack, stack_t* old) noexcept {
  THRUM_FORWARD(sigaltstack, stack, old)
  std::uint32_t slot = scheduler().current().slot;
  stack_t before = signals().alternate_stack(slot);
  auto here = address_of(__builtin_frame_address(0));
  bool enabled = (before.ss_flags & SS_DISABLE) == 0;
  bool on_it = enabled && here - address_of(before.ss_sp) < before.ss_size;
  if (stack) {
    constexpr std::size_t kSmallest = 2048;  // the kernel's MINSIGSTKSZ
    if (on_it) return fail_with(EPERM);
    if ((stack->ss_flags & SS_DISABLE) == 0 && stack->ss_size < kSmallest) return fail_with(ENOMEM);
    signals().set_alternate_stack(slot, *stack);
  }
  if (old) {
    *old = before;
    if (on_it) old->ss_flags |= SS_ONSTACK;
    sigaltstack_call{THRUM_CALLER}.after(old);
  }
  return 0;
}

THRUM_EXPORT int raise(int signal) noexcept {
  THRUM_FORWARD(raise, signal)
  if (!may_be_used(signal)) return fail_with(EINVAL);
  return send(&scheduler().current(), make_info(signal, SI_TKILL), THRUM_CALLER);
}

THRUM_EXPORT int gsignal(int signal) noexcept {
  THRUM_FORWARD(gsignal, signal)
  if (!may_be_used(signal)) return fail_with(EINVAL);
  return send(&scheduler().current(), make_info(signal, SI_TKILL), THRUM_CALLER);
}

THRUM_EXPORT int kill(pid_t process, int signal) noexcept {
  THRUM_FORWARD(kill, process, signal)
  return or_errno(send_to_process(process, make_info(signal, SI_USER), THRUM_CALLER));
}

THRUM_EXPORT int sigqueue(pid_t process, int signal, const sigval value) noexcept {
  THRUM_FORWARD(sigqueue, process, signal, value)
  return or_errno(send_to_process(process, queued_info(signal, value), THRUM_CALLER));
}

THRUM_EXPORT int pthread_kill(pthread_t handle, int signal) noexcept {
  THRUM_FORWARD(pthread_kill, handle, signal)
  return send_to_thread(handle, make_info(signal, SI_TKILL), THRUM_CALLER);
}

THRUM_EXPORT int pthread_sigqueue(pthread_t handle, int signal, const sigval value) noexcept {
  THRUM_FORWARD(pthread_sigqueue, handle, signal, value)
  return send_to_thread(handle, queued_info(signal, value), THRUM_CALLER);
}

THRUM_EXPORT int tgkill(pid_t process, pid_t thread, int signal) {
  THRUM_FORWARD(tgkill, process, thread, signal)
  if (process != world.process || (signal != 0 && !may_be_used(signal))) return fail_with(EINVAL);
  Thread* target = thread_of_id(thread);
  if (!target) return fail_with(ESRCH);
  return signal == 0 ? 0 : send(target, make_info(signal, SI_TKILL), THRUM_CALLER);
}

THRUM_EXPORT pid_t gettid() noexcept {
  THRUM_FORWARD(gettid)
  return thread_id(scheduler().current());
}

namespace {

// The C library's own calls on the mask are not caught before the first choice. So what sigsetjmp saves is
// kept again, behind the part of a mask that the kernel knows, with this number behind it.
constexpr unsigned long kMaskIsKept = 0x7468'7275'6d6d'736b;

unsigned long& kept_mask(__jmp_buf_tag* buffer) { return buffer->__saved_mask.__val[1]; }
unsigned long& mask_is_kept(__jmp_buf_tag* buffer) { return buffer->__saved_mask.__val[2]; }

void restore_mask(__jmp_buf_tag* buffer, std::uint64_t code) {
  if (!searching() || !buffer->__mask_was_saved || mask_is_kept(buffer) != kMaskIsKept) return;
  if (world.running) {
    buffer->__saved_mask.__val[0] = kept_mask(buffer);  // the C library's call takes it from there
  } else {
    signals().block(scheduler().current().slot, kept_mask(buffer));
    pay_attention();
    handle_signals(code);
  }
}

}  // namespace

// What __sigsetjmp in switch.S goes on with.
extern "C" [[gnu::visibility("hidden")]] void* thrum_save_mask(__jmp_buf_tag* buffer, int saves_mask) {
  static void* const real = next_function("__sigsetjmp");
  if (saves_mask == 0) return real;
  mask_is_kept(buffer) = 0;
  if (searching()) {
    kept_mask(buffer) = signals().blocked(scheduler().current().slot);
    mask_is_kept(buffer) = kMaskIsKept;
  }
  return real;
}

#define LONG_JUMP(name)                                                                              \
  THRUM_EXPORT void name(__jmp_buf_tag* buffer, int value) {                                         \
    static auto* const real = reinterpret_cast<void (*)(__jmp_buf_tag*, int)>(next_function(#name)); \
    leave_handlers(buffer);                                                                          \
    restore_mask(buffer, THRUM_CALLER);                                                              \
    real(buffer, value);                                                                             \
    __builtin_unreachable();                                                                         \
  }

LONG_JUMP(longjmp)
LONG_JUMP(_longjmp)
LONG_JUMP(siglongjmp)
LONG_JUMP(__longjmp_chk)
