// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting for signals: sigsuspend and pause wait for a handler, sigwait and the like for the signal itself.

#include <unistd.h>
#include <cerrno>
#include <csignal>

#include "runtime/intercept/intercept.hpp"
#include "runtime/kernel/signals.hpp"
#include "runtime/libc/libc_calls.hpp"
#include "runtime/threads/cancellation.hpp"
#include "runtime/threads/signal_delivery.hpp"

using namespace thrum;

namespace {

// Waits until a handler has run. begun: no signal can come just before the wait.
void wait_for_handler(bool begun, std::uint64_t code) {
  if (!world.running) fail_alone(Operation::signal_wait, kSignalState, code);
  Thread& me = scheduler().current();
  me.in_kernel = begun;
  bool goes_on =
      wait_at_cancellation_point(Operation::signal_wait, kSignalState, code, Wait::deadline, kNoDeadline);
  me.in_kernel = false;
  if (!goes_on) act_on_cancel(code);
}

// Accepts a pending signal of the set; waits until there is one. Returns 0 or an error number.
int accept(SignalSet set, siginfo_t& info, std::uint64_t deadline, std::uint64_t code) {
  cancellation_point(code);
  if (!world.running) {
    if ((signals().pending(0) & set) == 0) {
      wait_alone(Operation::signal_accept, kSignalState, code, deadline);
      return EAGAIN;
    }
    info = accept_signal(set);
    return 0;
  }
  Thread& me = scheduler().current();
  me.signals = set;
  if (!wait_at_cancellation_point(Operation::signal_accept, kSignalState, code, Wait::signal, deadline))
    act_on_cancel(code);
  if (me.timed_out) {
    done_by_timeout();
    return EAGAIN;
  }
  if (me.interrupted) return EINTR;
  info = accept_signal(set);
  scheduler().done(Scheduler::Effect::change, static_cast<std::uint64_t>(info.si_signo));
  return 0;
}

// The same without waiting.
int accept_now(SignalSet set, siginfo_t& info, std::uint64_t code) {
  cancellation_point(code);
  std::uint32_t slot = scheduler().current().slot;
  if (world.running) scheduler().arrive_in_loop(Operation::signal_accept, kSignalState, 0, code);
  if ((signals().pending(slot) & set) == 0) {
    if (world.running) scheduler().done(Scheduler::Effect::read, 0, 0, Outcome::failed);
    return EAGAIN;
  }
  info = accept_signal(set);
  if (world.running) scheduler().done(Scheduler::Effect::change, static_cast<std::uint64_t>(info.si_signo));
  return 0;
}

int signal_or_error(int error, const siginfo_t& info, siginfo_t* result, std::uint64_t code) {
  if (error != 0) return fail_with(error);
  if (result) *result = info;
  sigwaitinfo_call{code}.after(result);
  return info.si_signo;
}

}  // namespace

THRUM_EXPORT int sigsuspend(const sigset_t* mask) {
  THRUM_FORWARD(sigsuspend, mask)
  cancellation_point(THRUM_CALLER);
  std::uint32_t slot = scheduler().current().slot;
  if (world.running) scheduler().arrive(Operation::signal_wait, kSignalState, 0, THRUM_CALLER);
  SignalSet before = signals().blocked(slot);
  signals().block(slot, mask->__val[0]);
  if (world.running) scheduler().done(Scheduler::Effect::change, mask->__val[0]);
  if (signals().deliverable(slot) != 0) {
    handle_one_signal(THRUM_CALLER);
  } else {
    wait_for_handler(true, THRUM_CALLER);
  }
  signals().block(slot, before);
  return fail_with(EINTR);
}

THRUM_EXPORT int pause() {
  THRUM_FORWARD(pause)
  cancellation_point(THRUM_CALLER);
  wait_for_handler(false, THRUM_CALLER);
  return fail_with(EINTR);
}

THRUM_EXPORT int sigwait(const sigset_t* set, int* signal) {
  THRUM_FORWARD(sigwait, set, signal)
  siginfo_t info{};
  int error;
  do {
    error = accept(set->__val[0], info, kNoDeadline, THRUM_CALLER);
  } while (error == EINTR);
  if (error != 0) return error;
  *signal = info.si_signo;
  sigwait_call{THRUM_CALLER}.after(signal);
  return 0;
}

THRUM_EXPORT int sigwaitinfo(const sigset_t* set, siginfo_t* result) {
  THRUM_FORWARD(sigwaitinfo, set, result)
  siginfo_t info{};
  return signal_or_error(accept(set->__val[0], info, kNoDeadline, THRUM_CALLER), info, result, THRUM_CALLER);
}

THRUM_LOOP_IMPL int sigtimedwait_impl(const sigset_t* set, siginfo_t* result, const timespec* timeout) {
  THRUM_FORWARD(sigtimedwait, set, result, timeout)
  siginfo_t info{};
  if (!timeout)
    return signal_or_error(accept(set->__val[0], info, kNoDeadline, THRUM_CALLER), info, result,
                           THRUM_CALLER);
  if (!is_valid(*timeout) || timeout->tv_sec < 0) return fail_with(EINVAL);
  std::uint64_t wait = duration_ns(*timeout);
  int error = wait == 0 ? accept_now(set->__val[0], info, THRUM_CALLER)
                        : accept(set->__val[0], info, virtual_now() + wait, THRUM_CALLER);
  return signal_or_error(error, info, result, THRUM_CALLER);
}
