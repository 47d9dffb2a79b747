// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/threads/signal_delivery.hpp"

#include <ucontext.h>
#include <unistd.h>
#include <bit>
#include <cstddef>
#include <cstring>

#include "model/signal_name.hpp"
#include "runtime/base/engine.hpp"
#include "runtime/base/notes.hpp"
#include "runtime/threads/cancellation.hpp"
#include "runtime/threads/record.hpp"
#include "runtime/threads/scheduler.hpp"
#include "support/raw_syscall.hpp"

namespace thrum {

namespace {

std::uint32_t running_slot() { return scheduler().current().slot; }

// Whether some thread could handle that signal of the process now.
bool somebody_takes(int signal) {
  for (const Thread* thread : scheduler().live()) {
    if ((signals().blocked(thread->slot) & signal_bit(signal)) == 0) return true;
  }
  return false;
}

// The top of the alternate stack on which the handler has to run, or nullptr: stay on this stack.
void* alternate_top(const SignalAction& action) {
  stack_t stack = signals().alternate_stack(running_slot());
  if ((action.flags & SA_ONSTACK) == 0 || (stack.ss_flags & SS_DISABLE) != 0) return nullptr;
  auto here = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  if (here - reinterpret_cast<std::uint64_t>(stack.ss_sp) < stack.ss_size) return nullptr;  // already on it
  return static_cast<char*>(stack.ss_sp) + stack.ss_size;
}

// context: describes, to the handler, the place that it interrupts.
void run_handler(const SignalAction& action, siginfo_t& info, ucontext_t& context) {
  std::uint32_t slot = running_slot();
  int signal = info.si_signo;
  SignalSet before = signals().blocked(slot);
  context.uc_sigmask.__val[0] = before;
  if ((action.flags & SA_RESETHAND) != 0) {
    SignalAction by_default;
    by_default.flags = action.flags & ~SA_SIGINFO;
    signals().set_action(signal, by_default);
  }
  SignalSet during = before | action.mask;
  if ((action.flags & SA_NODEFER) == 0) during |= signal_bit(signal);
  signals().block(slot, during);
  world.wrote = true;
  const std::uint64_t modes = floating_point_modes();
  set_floating_point_modes(kInitialModes);
  if (void* top = alternate_top(action)) {
    thrum_call_on_stack(top, action.handler, signal, &info, &context);
  } else {
    action.handler(signal, &info, &context);
  }
  set_floating_point_modes(modes);
  world.wrote = true;
  signals().block(slot, context.uc_sigmask.__val[0]);  // the handler may have changed the mask to return to
}

void note_handling(int signal, std::uint64_t code) {
  if (!world.running) return;
  Thread& me = scheduler().current();
  me.operation = Operation::signal_handle;
  me.object = kSignalState;
  me.size = 0;
  me.code = code;
  if (world.recording) note_stack(me);  // its last operation was elsewhere, perhaps
  scheduler().done(Scheduler::Effect::change, static_cast<std::uint64_t>(signal));
}

}  // namespace

void pay_attention() {
  world.attention = world.recording || signals().any_pending() || scheduler().has_invariants();
}

siginfo_t make_info(int signal, int si_code) {
  siginfo_t info{};
  info.si_signo = signal;
  info.si_code = si_code;
  info.si_pid = world.process;
  info.si_uid = static_cast<uid_t>(raw_syscall(SYS_getuid));
  return info;
}

void end_by_signal(int signal, std::uint64_t code) {
  if (default_action(signal) == DefaultAction::stop)
    lose_control("uncontrolled-call", "the program is sent " + signal_name(signal) +
                                          ", which would stop it; that is not under control");
  ThreadId thread = world.running ? scheduler().current().id : kMainThread;
  fail({BugKind::crash, "killed by " + signal_name(signal), thread, code, {}});
}

bool is_fatal(int signal, const Thread* target) {
  if (signal == SIGKILL || signal == SIGSTOP) return true;
  if (signal == kCancelSignal || !signals().action(signal).is_default() || signals().ignored(signal))
    return false;
  if (target) return (signals().blocked(target->slot) & signal_bit(signal)) == 0;
  return somebody_takes(signal);
}

void send_signal(Thread* target, const siginfo_t& info, std::uint64_t code) {
  int signal = info.si_signo;
  if (target && target->life == Life::ended) return;
  if (is_fatal(signal, target)) end_by_signal(signal, code);
  // A blocked signal stays pending: its action may be set before it is unblocked.
  std::uint32_t slot = target ? target->slot : 0;
  if (signals().ignored(signal) && (signals().blocked(slot) & signal_bit(signal)) == 0) return;
  if (target) {
    signals().send_to_thread(slot, info);
  } else {
    signals().send_to_process(info);
  }
  pay_attention();
}

siginfo_t accept_signal(SignalSet set) {
  siginfo_t info = signals().take(running_slot(), set);
  if (info.si_code == SI_TIMER) info.si_overrun = timer_was_accepted(info.si_timerid);
  pay_attention();
  return info;
}

bool next_handler_restarts(const Thread& thread) {
  int signal = std::countr_zero(signals().deliverable(thread.slot)) + 1;
  return signal == kCancelSignal || (signals().action(signal).flags & SA_RESTART) != 0;
}

void handle_one_signal(std::uint64_t code) {
  siginfo_t info = accept_signal(signals().deliverable(running_slot()));
  int signal = info.si_signo;
  if (signal == kCancelSignal) act_on_cancel(code);
  SignalAction action = signals().action(signal);
  if (action.is_default()) end_by_signal(signal, code);
  note_handling(signal, code);
  ucontext_t context{};
  context.uc_stack = signals().alternate_stack(running_slot());
  context.uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(code);
  context.uc_mcontext.gregs[REG_RSP] = reinterpret_cast<greg_t>(__builtin_frame_address(0));
  run_handler(action, info, context);
}

void handle_signals(std::uint64_t code) {
  while (signals().any_pending() && signals().deliverable(running_slot()) != 0) handle_one_signal(code);
}

bool has_own_signals(const Thread& thread) {
  return (signals().deliverable(thread.slot) & signals().pending_of(thread.slot)) != 0;
}

void handle_own_signals(std::uint64_t code) {
  const Thread& me = scheduler().current();
  while (signals().any_pending() && has_own_signals(me)) handle_one_signal(code);
}

void await_own_handlers(std::uint64_t code) {
  if (!signals().any_pending() || !has_own_signals(scheduler().current())) return;
  if (!world.running) return handle_own_signals(code);
  scheduler().arrive(Operation::signal_pending, kSignalState, 0, code, Wait::handlers);
  scheduler().done(Scheduler::Effect::read);
}

bool only_mine(int signal) {
  SignalSet bit = signal_bit(signal);
  if ((signals().blocked(running_slot()) & bit) != 0) return false;
  for (const Thread* thread : scheduler().live()) {
    if (thread == &scheduler().current()) continue;
    bool waits = thread->wait == Wait::signal && (thread->signals & bit) != 0;
    if (waits || (signals().blocked(thread->slot) & bit) == 0) return false;
  }
  return true;
}

namespace {

// The frame that the kernel put on the runtime's signal stack, moved to the thread's stack. Its beginning is
// the frame for rt_sigreturn.
struct FaultFrame {
  ucontext_t context;
  siginfo_t info;
};

// The size of the processor state that a context points to. The state holds it (the kernel's struct
// _fpx_sw_bytes).
std::size_t size_of_state(const void* state) {
  constexpr std::size_t kLegacy = 512;
  constexpr std::size_t kSoftware = 464;
  constexpr std::uint32_t kMagic = 0x46505853;
  std::uint32_t words[2];
  std::memcpy(words, static_cast<const char*>(state) + kSoftware, sizeof words);
  return words[0] == kMagic ? words[1] : kLegacy;
}

}  // namespace

bool redirect_fault(int signal, const siginfo_t* info, void* raw_context) {
  const SignalAction& action = signals().action(signal);
  if (!action.has_handler() || (signals().blocked(running_slot()) & signal_bit(signal)) != 0) return false;
  auto& caught = *static_cast<ucontext_t*>(raw_context);
  constexpr std::uint64_t kRedZone = 128;
  constexpr std::uint64_t kStateAlignment = 64;
  std::size_t state_size = size_of_state(caught.uc_mcontext.fpregs);
  auto place = static_cast<std::uint64_t>(caught.uc_mcontext.gregs[REG_RSP]) - kRedZone;
  place = (place - state_size) & ~(kStateAlignment - 1);
  auto* state = reinterpret_cast<char*>(place);
  std::memcpy(state, caught.uc_mcontext.fpregs, state_size);
  place = (place - sizeof(FaultFrame)) & ~(kStateAlignment - 1);
  auto& frame = *reinterpret_cast<FaultFrame*>(place);
  // The kernel's context ends with a mask of 8 bytes.
  std::memset(&frame.context, 0, sizeof frame.context);
  std::memcpy(&frame.context, &caught, offsetof(ucontext_t, uc_sigmask) + sizeof(SignalSet));
  frame.context.uc_mcontext.fpregs = reinterpret_cast<fpregset_t>(state);
  frame.info = *info;
  caught.uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(place);
  caught.uc_mcontext.gregs[REG_RIP] = reinterpret_cast<greg_t>(&thrum_fault_entry);
  return true;
}

}  // namespace thrum

// Called by thrum_fault_entry, on the stack of the thread.
extern "C" void thrum_handle_fault(thrum::FaultFrame* frame) {
  using namespace thrum;
  ucontext_t& context = frame->context;
  unsigned long mask = context.uc_sigmask.__val[0];
  auto code = static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RIP]) + 1;
  int signal = frame->info.si_signo;
  if (world.running) scheduler().arrive(Operation::fault, kSignalState, 0, code);
  SignalAction action = signals().action(signal);
  if (!action.has_handler()) end_by_signal(signal, code);
  const bool changes = (action.flags & SA_RESETHAND) != 0;
  if (world.running)
    scheduler().done(changes ? Scheduler::Effect::change : Scheduler::Effect::read,
                     static_cast<std::uint64_t>(signal), 0, changes ? Outcome::done : Outcome::unchanged);
  run_handler(action, frame->info, context);
  context.uc_sigmask.__val[0] = mask;  // the mask in the kernel's format
}

extern "C" void thrum_handle_signal_here() { thrum::scheduler().handle_signal_here(); }
