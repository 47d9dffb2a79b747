// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/intercept/signal_calls.hpp"

#include <cerrno>

#include "runtime/intercept/intercept.hpp"
#include "runtime/kernel/signals.hpp"
#include "runtime/threads/signal_delivery.hpp"
#include "support/raw_syscall.hpp"

namespace thrum {

namespace {

// The kernel's layout.
struct KernelAction {
  void (*handler)(int, siginfo_t*, void*);
  unsigned long flags;
  void (*restorer)();
  SignalSet mask;
};

long change_mask(const long* a) {
  std::uint32_t slot = scheduler().current().slot;
  SignalSet before = signals().blocked(slot);
  if (const auto* set = reinterpret_cast<const SignalSet*>(a[1])) {
    switch (a[0]) {
      case SIG_BLOCK: signals().block(slot, before | *set); break;
      case SIG_UNBLOCK: signals().block(slot, before & ~*set); break;
      case SIG_SETMASK: signals().block(slot, *set); break;
      default: return -EINVAL;
    }
  }
  if (auto* old = reinterpret_cast<SignalSet*>(a[2])) *old = before;
  return 0;
}

long change_action(const long* a) {
  auto signal = static_cast<int>(a[0]);
  if (!is_signal(signal)) return -EINVAL;
  SignalAction before = signals().action(signal);
  if (const auto* action = reinterpret_cast<const KernelAction*>(a[1]))
    signals().set_action(signal, {action->handler, static_cast<int>(action->flags), action->mask});
  if (auto* old = reinterpret_cast<KernelAction*>(a[2]))
    *old = {before.handler, static_cast<unsigned long>(before.flags), nullptr, before.mask};
  return 0;
}

long send(Thread* target, long signal) {
  if (signal == 0) return 0;
  // libc's own abort() must not return from it.
  if (signal == SIGABRT && signals().action(SIGABRT).is_default()) fail_here(BugKind::crash, "aborted");
  if (!is_signal(static_cast<int>(signal))) return -EINVAL;
  send_signal(target, make_info(static_cast<int>(signal), target ? SI_TKILL : SI_USER), 0);
  return 0;
}

}  // namespace

pid_t thread_id(const Thread& thread) { return world.process + thread.slot; }

Thread* thread_of_id(pid_t id) {
  pid_t slot = id - world.process;
  if (slot == 0 && !world.running) return &scheduler().current();
  if (slot < 0 || slot >= scheduler().slots_used()) return nullptr;
  Thread& thread = scheduler().thread_in_slot(static_cast<std::uint32_t>(slot));
  return thread.timer ? nullptr : &thread;
}

bool answer_signal_call(long number, const long* a, long& result) {
  switch (number) {
    case SYS_rt_sigprocmask: result = change_mask(a); return true;
    case SYS_rt_sigaction: result = change_action(a); return true;
    case SYS_rt_sigpending:
      *reinterpret_cast<SignalSet*>(a[0]) =
          signals().pending(scheduler().current().slot) & signals().blocked(scheduler().current().slot);
      result = 0;
      return true;
    case SYS_gettid: result = thread_id(scheduler().current()); return true;
    case SYS_kill:
      if (a[0] != world.process) return false;
      result = send(nullptr, a[1]);
      return true;
    // libc sends it to the id of the real thread whose stack the fiber uses: to itself.
    case SYS_tkill: result = send(&scheduler().current(), a[1]); return true;
    case SYS_tgkill:
      if (a[0] != world.process) return false;
      result = send(&scheduler().current(), a[2]);
      return true;
    default: return false;
  }
}

}  // namespace thrum
