// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting for signals: for a handler (sigsuspend, pause), or for the signal itself (sigwait and the like).
#include <csignal>

#include "vm/library.hpp"

namespace thrum::vm {

namespace {

// How accepting a signal ends, besides Next: 0 or an error.
struct AcceptedSignal {
  std::optional<Next> next;  // what the call returns first
  int error = 0;
  SentSignal signal;
};

// Phases: 0 arrives, 1 has a signal, or has waited in vain.
AcceptedSignal accept_waiting(Call& call, std::uint64_t set, std::uint64_t deadline_ns) {
  Machine& machine = call.machine;
  Thread& me = call.thread;
  if (call.phase() == 0) {
    if (const auto next = cancellation_point(call)) return {next, 0, {}};
  }
  if (!machine.in_execution) {
    if ((Signals::pending(me) & set) != 0) return {std::nullopt, 0, machine.accept_signal(me, set)};
    return {wait_alone(call, Operation::signal_accept, kSignalObject, deadline_ns), EAGAIN, {}};
  }
  if (call.phase() == 0) me.kept[1] = set;
  if (const auto next =
          stand_cancellable(call, 0, Operation::signal_accept, kSignalObject, Wait::signal, deadline_ns))
    return {next, 0, {}};
  if (is_cancelled_in_wait(call)) return {machine.act_on_cancel(me, me.code), 0, {}};
  if (me.timed_out) {
    me.timed_out = false;
    machine.done_by_timeout();
    return {machine.over ? std::optional(Next::over) : std::nullopt, EAGAIN, {}};
  }
  if (me.interrupted) return {std::nullopt, EINTR, {}};
  const SentSignal signal = machine.accept_signal(me, set);
  machine.done(true, static_cast<std::uint64_t>(signal.number));
  return {machine.over ? std::optional(Next::over) : std::nullopt, 0, signal};
}

// The same without waiting.
AcceptedSignal accept_now(Call& call, std::uint64_t set) {
  Machine& machine = call.machine;
  if (call.phase() == 0) {
    if (const auto next = cancellation_point(call)) return {next, 0, {}};
  }
  if (const auto next = stand(call, 0, Operation::signal_accept, kSignalObject)) return {next, 0, {}};
  AcceptedSignal result;
  const bool is_there = (Signals::pending(call.thread) & set) != 0;
  if (is_there) result.signal = machine.accept_signal(call.thread, set);
  result.error = is_there ? 0 : EAGAIN;
  machine.done(is_there, static_cast<std::uint64_t>(result.signal.number), 0,
               is_there ? Outcome::done : Outcome::failed);
  if (machine.over) result.next = Next::over;
  return result;
}

// Of sigwaitinfo and sigtimedwait.
Next tell_accepted(Call& call, const AcceptedSignal& result) {
  if (result.next) return *result.next;
  if (result.error != 0) return fail_with(call, result.error);
  if (!put_value(call, call.argument(1), info_of(result.signal))) return Next::over;
  return call.result_int(result.signal.number);
}

// Waits until a handler has run, in that phase and the next; nothing: one has. is_begun: no signal can come
// before the wait.
std::optional<Next> wait_for_handler(Call& call, std::uint32_t phase, bool is_begun) {
  Machine& machine = call.machine;
  Thread& me = call.thread;
  if (!machine.in_execution) return fail_alone(call, Operation::signal_wait, kSignalObject);
  me.in_kernel = is_begun;
  if (const auto next =
          stand_cancellable(call, phase, Operation::signal_wait, kSignalObject, Wait::deadline, kNoDeadline))
    return next;
  me.in_kernel = false;
  if (is_cancelled_in_wait(call)) return machine.act_on_cancel(me, me.code);
  return std::nullopt;
}

}  // namespace

// Phases: 0 and 1 change the mask, 2 handles or begins to wait, 3 a handler has run. kept[0]: what was
// blocked.
Next do_sigsuspend(Call& call) {
  Machine& machine = call.machine;
  Thread& me = call.thread;
  if (call.phase() < 2) {
    if (call.phase() == 0) {
      if (const auto next = cancellation_point(call)) return *next;
    }
    const std::optional<std::uint64_t> mask = set_at(call, call.argument(0));
    if (!mask) return Next::over;
    if (const auto next = stand(call, 0, Operation::signal_wait, kSignalObject)) return *next;
    me.kept[0] = Signals::blocked(me);
    machine.signals.block(me, *mask);
    machine.done(true, *mask);
    if (machine.over) return Next::over;
    me.phase = 2;
    if (Signals::any_pending() && Signals::deliverable(me) != 0) {
      me.phase = 4;
      return machine.handle_signal(me);
    }
  }
  if (call.phase() < 4) {
    if (const auto next = wait_for_handler(call, 2, true)) return *next;
  }
  machine.signals.block(me, me.kept[0]);
  return fail_with(call, EINTR);
}

Next do_pause(Call& call) {
  if (call.phase() == 0) {
    if (const auto next = cancellation_point(call)) return *next;
  }
  if (const auto next = wait_for_handler(call, 0, false)) return *next;
  return fail_with(call, EINTR);
}

Next do_sigwait(Call& call) {
  const std::optional<std::uint64_t> set = set_at(call, call.argument(0));
  if (!set) return Next::over;
  const AcceptedSignal result = accept_waiting(call, *set, kNoDeadline);
  if (result.next) return *result.next;
  if (result.error == EINTR) {
    call.thread.phase = 0;
    return Next::again;
  }
  if (result.error == 0 && !put_value(call, call.argument(1), static_cast<int>(result.signal.number)))
    return Next::over;
  return call.result_int(result.error);
}

Next do_sigwaitinfo(Call& call) {
  const std::optional<std::uint64_t> set = set_at(call, call.argument(0));
  return set ? tell_accepted(call, accept_waiting(call, *set, kNoDeadline)) : Next::over;
}

// kept[0]: the deadline.
Next do_sigtimedwait(Call& call) {
  const std::optional<std::uint64_t> set = set_at(call, call.argument(0));
  if (!set) return Next::over;
  if (call.argument(2) == 0) return tell_accepted(call, accept_waiting(call, *set, kNoDeadline));
  const std::optional<timespec> time = time_at(call, call.argument(2));
  if (!time) return Next::over;
  if (!is_valid(*time) || time->tv_sec < 0) return fail_with(call, EINVAL);
  const std::uint64_t length = duration_ns(*time);
  if (length == 0) return tell_accepted(call, accept_now(call, *set));
  if (call.phase() == 0) call.thread.kept[0] = Machine::course().now_ns + length;
  return tell_accepted(call, accept_waiting(call, *set, call.thread.kept[0]));
}

}  // namespace thrum::vm
