// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signals reach their threads. A handler is a frame on top of the thread's others; a record keeps what the
// thread goes back to when it returns (Handling). A thread begins to handle a signal where it is chosen to
// (Via::signal), or inside a call that promises it.
#include <ucontext.h>

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cstddef>
#include <cstring>
#include <iterator>

#include "model/signal_name.hpp"
#include "vm/library.hpp"
#include "vm/unwind.hpp"

namespace thrum::vm {

namespace {

bool would_stop(int signal) {
  return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

siginfo_t as_siginfo(const SentSignal& signal) {
  siginfo_t info{};
  info.si_signo = signal.number;
  info.si_code = signal.code;
  if (signal.code == SI_TIMER) {
    info.si_timerid = signal.timer;
    info.si_overrun = signal.missed;
  } else if (signal.code <= 0) {
    info.si_pid = kProcessNumber;
    info.si_uid = kUser;
  } else {
    info.si_addr = reinterpret_cast<void*>(signal.address);
  }
  if (signal.code == SI_TIMER || signal.code == SI_QUEUE)
    info.si_value.sival_ptr = reinterpret_cast<void*>(signal.value);
  return info;
}

constexpr std::uint64_t rounded_down(std::uint64_t address, std::uint64_t multiple) {
  return address & ~(multiple - 1);
}

bool is_trap(const Frame& frame) {
  return frame.function->opcodes[static_cast<std::size_t>(frame.next - frame.function->code.data())] ==
         Opcode::trap;
}

std::uint64_t number_of_frame(const Thread& thread, const Frame* frame) {
  return static_cast<std::uint64_t>(frame - thread.bottom);
}

}  // namespace

siginfo_t info_of(const SentSignal& signal) { return as_siginfo(signal); }

// Sending.

bool Machine::is_fatal(int signal, const Thread* target) const {
  if (signal == SIGKILL || signal == SIGSTOP) return true;
  if (signal == kCancellation || !Signals::action(signal).is_default() || Signals::ignores(signal))
    return false;
  const auto takes = [signal](const Thread& one) { return (Signals::blocked(one) & bit_of(signal)) == 0; };
  if (target != nullptr) return takes(*target);
  return std::any_of(live().begin(), live().end(), [&](std::uint16_t slot) { return takes(thread(slot)); });
}

// The process ends by the signal.
Next Machine::end_by_signal(int signal, std::uint64_t code_address) {
  if (would_stop(signal)) {
    refused = "the program is sent " + signal_name(signal) + ", which would stop it";
    finish(End::refused);
  } else {
    fail({BugKind::crash, "killed by " + signal_name(signal), current().id, code_address, {}});
  }
  return Next::over;
}

bool Machine::send_signal(const Thread* target, const SentSignal& signal, std::uint64_t code_address) {
  if (target != nullptr && target->life == Life::ended) return true;
  if (is_fatal(signal.number, target)) {
    end_by_signal(signal.number, code_address);
    return false;
  }
  // A thread that blocks it may still be told what it does.
  const Thread& taker = target != nullptr ? *target : thread(0);
  if (Signals::ignores(signal.number) && (Signals::blocked(taker) & bit_of(signal.number)) == 0) return true;
  if (signals.add(target, signal)) return true;
  refused = "more than " + std::to_string(Signals::kPendingMax) + " signals that are pending";
  finish(End::refused);
  return false;
}

SentSignal Machine::accept_signal(const Thread& me, std::uint64_t set) {
  SentSignal signal = signals.take(me, set);
  if (signal.code == SI_TIMER) signal.missed = timers.accept(signal.timer);
  return signal;
}

// Whether no other thread would take the signal that the process is sent.
bool Machine::takes_alone(const Thread& me, int signal) const {
  if ((Signals::blocked(me) & bit_of(signal)) != 0) return false;
  return std::none_of(live().begin(), live().end(), [&](std::uint16_t slot) {
    const Thread& other = thread(slot);
    if (slot == me.slot) return false;
    const bool waits = other.wait == Wait::signal && (other.signals & bit_of(signal)) != 0;
    return waits || (Signals::blocked(other) & bit_of(signal)) == 0;
  });
}

// Handling.

bool Machine::ends_by_signal(const Thread& waiting) {
  switch (waiting.operation) {
    case Operation::sleep:
    case Operation::signal_accept:
    case Operation::signal_wait: return true;
    case Operation::semaphore_wait:
    case Operation::futex_return: {
      const int next = std::countr_zero(Signals::deliverable(waiting)) + 1;
      return next != kCancellation && (Signals::action(next).flags & SA_RESTART) == 0;
    }
    default: return false;
  }
}

Next Machine::interrupt(Thread& me, bool before_wait) {
  Handling back;
  back.before = me;
  back.is_between = true;
  back.in_call = me.in_call;
  back.ends_wait = !before_wait && !is_enabled(me) && ends_by_signal(me);
  static_cast<Standing&>(me) = {};
  me.life = Life::unsettled;
  return handle_signal(me, back, back.before.code);
}

Next Machine::handle_signal(Thread& me) {
  Handling back;
  back.in_call = me.in_call;
  return handle_signal(me, back, code_of(me));
}

Next Machine::handle_signal(Thread& me, Handling& back, std::uint64_t code_address) {
  const SentSignal signal = accept_signal(me, Signals::deliverable(me));
  if (signal.number == kCancellation) return act_on_cancel(me, code_address);
  if (Signals::action(signal.number).is_default()) return end_by_signal(signal.number, code_address);
  if (in_execution) {
    me.operation = Operation::signal_handle;
    me.object = kSignalObject;
    me.size = 0;
    me.code = code_address;
    done(true, static_cast<std::uint64_t>(signal.number));
    if (over) return Next::over;
  }
  return run_handler(me, signal, back, code_address);
}

// Puts the handler's frame on top.
Next Machine::run_handler(Thread& me, const SentSignal& signal, Handling& back, std::uint64_t code_address) {
  const SignalAction action = Signals::action(signal.number);
  Function* const function = function_at_address(action.handler);
  if (function == nullptr || !function->is_defined || me.handlers == Signals::kHandlersMax) {
    if (function != nullptr && !function->is_defined) {
      refused = "a handler of signals that is no function of the program: " + function->name;
      finish(End::refused);
    } else if (function == nullptr) {
      fail(BugKind::crash, "segmentation fault");
    } else {
      fail(BugKind::stack_overflow, "the stack is full");
    }
    return Next::over;
  }
  back.mask = Signals::blocked(me);
  back.alternate_begin = me.alternate_begin;
  back.rounding = me.rounding;
  if ((action.flags & SA_RESETHAND) != 0)
    signals.set_action(signal.number, {0, 0, action.flags & ~SA_SIGINFO});
  const std::uint64_t own = (action.flags & SA_NODEFER) != 0 ? 0 : bit_of(signal.number);
  signals.block(me, back.mask | action.mask | own);
  note_change(me);
  if (me.rounding != FE_TONEAREST) std::fesetround(me.rounding = FE_TONEAREST);
  const AlternateStack other = Signals::alternate(me);
  back.on_alternate =
      (action.flags & SA_ONSTACK) != 0 && other.size != 0 && me.alternate_begin != other.begin;
  if (back.on_alternate && !can_write(other.begin, other.size)) {
    fail_access(other.begin, other.size, true);
    return Next::over;
  }
  push(me, *function, {}, Then::handler);
  Frame& frame = *me.top;
  if (back.on_alternate) {
    me.alternate_begin = other.begin;
    frame.stack_begin = rounded_down(other.begin + other.size, 16);
  }
  const std::uint64_t info_at = rounded_down(frame.stack_begin - sizeof(siginfo_t), 16);
  back.context = rounded_down(info_at - sizeof(ucontext_t), 16);
  if (back.context < me.room_begin()) {
    fail(BugKind::stack_overflow, "the stack is full");
    return Next::over;
  }
  frame.stack_pointer = back.context;
  memory.set_shadow(back.context, frame.stack_begin - back.context, kAddressable);
  const siginfo_t info = as_siginfo(signal);
  write(info_at, &info, sizeof info);
  ucontext_t context{};
  context.uc_sigmask.__val[0] = back.mask;
  context.uc_stack.ss_sp = reinterpret_cast<void*>(other.begin);
  context.uc_stack.ss_size = other.size;
  context.uc_stack.ss_flags = other.size == 0 ? SS_DISABLE : 0;
  context.uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(code_address);
  context.uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(back.context);
  write(back.context, &context, sizeof context);
  const std::uint64_t arguments[] = {static_cast<std::uint64_t>(signal.number), info_at, back.context};
  for (std::uint32_t i = 0; i < std::min<std::uint32_t>(function->parameters, 3); ++i)
    frame.registers[i] = arguments[i];
  back.frame = number_of_frame(me, me.top);
  back.signal = signal.number;
  back.code = code_address;
  signals.handling(me, me.handlers++) = back;
  return Next::entered;
}

// What the handler has made of the context that it was given. False: what the machine cannot do.
bool Machine::goes_back(Thread& me, const Handling& back) {
  gregset_t left;  // as it was given
  std::memset(left, 0, sizeof left);
  left[REG_RIP] = static_cast<greg_t>(back.code);
  left[REG_RSP] = static_cast<greg_t>(back.context);
  const gregset_t& now = at<ucontext_t>(back.context).uc_mcontext.gregs;
  if (std::equal(std::begin(left), std::end(left), std::begin(now))) return true;
  // Behind the instruction that has caused it, if its length is known.
  constexpr greg_t kTrapLength = 2;
  const bool at_trap = back.is_fault && !back.in_call && is_trap(*me.top);
  left[REG_RIP] += kTrapLength;
  if (at_trap && std::equal(std::begin(left), std::end(left), std::begin(now))) {
    ++me.top->next;
    return true;
  }
  const bool moves = now[REG_RIP] != static_cast<greg_t>(back.code);
  refused = "a handler of " + signal_name(back.signal) + " that changes the " +
            (moves ? "program counter" : "registers") + " of the context to which it returns";
  finish(End::refused);
  return false;
}

// The machine goes on behind a frame that it has made for something else than a call.
std::optional<Stop> Machine::go_on_behind(Thread& me, const Frame& left) {
  if (left.then == Then::check) return Stop::checked;
  const Handling back = Signals::looked_at(me, --me.handlers);
  if (!goes_back(me, back)) return Stop::over;
  leave_alternate(me, back);
  signals.block(me, at<ucontext_t>(back.context).uc_sigmask.__val[0]);
  if (me.rounding != back.rounding) std::fesetround(me.rounding = back.rounding);
  note_change(me);
  me.in_call = back.in_call;
  if (!back.is_between) return std::nullopt;
  static_cast<Standing&>(me) = back.before;
  me.signal_first = false;
  const bool is_joined = me.wait == Wait::join && thread(me.joined).life == Life::ended;
  const bool is_in_loop = me.wait == Wait::spin || me.wait == Wait::nothing_more;
  if (is_joined || back.ends_wait || is_in_loop) me.wait = Wait::nothing;
  me.interrupted = back.ends_wait && !is_joined;
  if (is_joined || back.ends_wait) return std::nullopt;
  me.cancelled = me.at_cancellation_point && me.cancellation.acts();
  me.life = Life::standing;
  return Stop::arrived;
}

void Machine::leave_alternate(Thread& me, const Handling& back) {
  me.alternate_begin = back.alternate_begin;
  if (!back.on_alternate) return;
  const AlternateStack stack = Signals::alternate(me);
  memory.set_shadow(stack.begin, stack.size, kAddressable | kDefined);
}

// Frames above are about to be left, and with them handlers. Returns where the part of the stack begins that
// they used.
std::uint64_t Machine::leave_handlers(Thread& me, const Frame* to) {
  std::uint64_t left = me.top->stack_pointer;
  while (me.handlers != 0) {
    const Handling& back = Signals::looked_at(me, me.handlers - 1);
    const Frame* const handler = me.bottom + back.frame;
    if (handler <= to) break;
    --me.handlers;
    leave_alternate(me, back);
    if (back.on_alternate) left = handler == me.bottom ? me.stack_end() : handler[-1].stack_pointer;
  }
  return left;
}

// Whether the frame, which is not the top one, is in the middle of a call.
bool Machine::is_calling(const Thread& me, const Frame* frame) const {
  if (frame[1].then != Then::handler) return true;
  for (std::uint32_t number = me.handlers; number-- > 0;) {
    const Handling& back = Signals::looked_at(me, number);
    if (me.bottom + back.frame == frame + 1) return back.in_call;
  }
  return false;
}

// Faults of the program's own, for which it has a handler.

bool Machine::has_handler_for_fault(int signal) const {
  return current().atomic_depth == 0 && Signals::action(signal).has_handler() &&
         (Signals::blocked(current()) & bit_of(signal)) == 0;
}

Stop Machine::fault(int signal, std::uint64_t address, const char* message) {
  if (!has_handler_for_fault(signal)) return fail(BugKind::crash, message);
  Thread& me = current();
  me.fault = static_cast<std::uint8_t>(signal);
  me.fault_address = address;
  if (!in_execution) {  // the handler comes next
    me.code = code_of(me);
    return Stop::checked;
  }
  arrive(Operation::fault, kSignalObject, 0);
  return over ? Stop::over : Stop::arrived;
}

// It is the turn of the thread that has caused it. False: the execution is over.
bool Machine::handle_fault(Thread& me) {
  SentSignal signal;
  signal.number = me.fault;
  signal.code = me.fault == SIGSEGV   ? int{SEGV_MAPERR}
                : me.fault == SIGFPE  ? int{FPE_INTDIV}
                : me.fault == SIGTRAP ? int{SI_KERNEL}
                                      : int{ILL_ILLOPN};
  signal.address = me.fault_address;
  me.fault = 0;
  const SignalAction& action = Signals::action(signal.number);
  if (!action.has_handler()) {
    end_by_signal(signal.number, me.code);
    return false;
  }
  const bool changes = (action.flags & SA_RESETHAND) != 0;
  done(changes, static_cast<std::uint64_t>(signal.number), 0, changes ? Outcome::done : Outcome::unchanged);
  Handling back;
  back.in_call = me.in_call;
  back.is_fault = true;
  return !over && run_handler(me, signal, back, me.code) == Next::entered;
}

// Cancellation.

Next Machine::act_on_cancel(Thread& me, std::uint64_t code_address) {
  if (!in_execution) return leave_process(me, 0, Exit::at_once);
  me.operation = Operation::cancelled;
  me.object = me.cancel_object();
  me.size = 0;
  me.code = code_address;
  done(false, me.id);
  if (over) return Next::over;
  me.cancellation.disabled = true;
  me.cancellation.asynchronous = false;
  me.result = ~std::uint64_t{0};  // PTHREAD_CANCELED
  return unwind_thread(*this, me);
}

}  // namespace thrum::vm
