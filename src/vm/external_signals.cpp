// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signals: what they do, who blocks them, and sending.
#include <csignal>
#include <cstring>

#include "vm/library.hpp"

namespace thrum::vm {

namespace {

std::optional<Next> stand_at_signals(Call& call, Operation operation) {
  return stand(call, 0, operation, kSignalObject);
}

Next finish_signal_call(Call& call, std::uint64_t value, std::uint64_t result) {
  call.machine.done(true, value);
  return call.machine.over ? Next::over : call.result(result);
}

Next change_action(Call& call, int signal, const SignalAction& action, std::uint64_t result) {
  if (const auto next = stand_at_signals(call, Operation::signal_action)) return *next;
  call.machine.signals.set_action(signal, action);
  return finish_signal_call(call, static_cast<std::uint64_t>(signal), result);
}

bool has_settable_action(int signal) {
  return is_for_programs(signal) && signal != SIGKILL && signal != SIGSTOP;
}

constexpr std::uint64_t kSigErr = ~std::uint64_t{0};

// signal() and its variants; kept[0]: what it did before.
Next change_handler(Call& call, int flags) {
  const int signal = call.int_argument(0);
  if (!has_settable_action(signal)) {
    set_errno(call, EINVAL);
    return call.result(kSigErr);
  }
  if (call.phase() == 0) call.thread.kept[0] = Signals::action(signal).handler;
  return change_action(call, signal, {call.argument(1), 0, flags}, call.thread.kept[0]);
}

// What sigaction() takes and gives.
struct sigaction as_plain_action(const SignalAction& action) {
  struct sigaction plain {};
  std::memcpy(static_cast<void*>(&plain), &action.handler, sizeof action.handler);
  plain.sa_flags = action.flags;
  plain.sa_mask.__val[0] = action.mask;
  return plain;
}
SignalAction taken_from(const struct sigaction& plain) {
  SignalAction action;
  std::memcpy(&action.handler, static_cast<const void*>(&plain), sizeof action.handler);
  action.flags = plain.sa_flags;
  action.mask = plain.sa_mask.__val[0];
  return action;
}

// What a signal did before the call.
void keep_action(Call& call, const SignalAction& action) {
  call.thread.kept[0] = action.handler;
  call.thread.kept[1] = action.mask;
  call.thread.kept[2] = static_cast<std::uint32_t>(action.flags);
}
SignalAction kept_action(const Call& call) {
  const std::uint64_t* const words = call.thread.kept;
  return {words[0], words[1], static_cast<std::int32_t>(words[2])};
}

bool write_set(Call& call, std::uint64_t place, std::uint64_t set) {
  sigset_t whole{};
  whole.__val[0] = set;
  return put_value(call, place, whole);
}

// The thread handles what is deliverable, one after the other; nothing: it has. own: of that only what it was
// sent itself.
std::optional<Next> handle_all(Call& call, bool own) {
  const Thread& me = call.thread;
  if (!Signals::any_pending()) return std::nullopt;
  if (own ? !Signals::has_own(me) : Signals::deliverable(me) == 0) return std::nullopt;
  return call.machine.handle_signal(call.thread);
}

// Phases: 0 and 1 change the mask, 2 handles. kept[0]: what was blocked before.
Next change_mask(Call& call, bool by_errno) {
  Machine& machine = call.machine;
  Thread& me = call.thread;
  const std::uint64_t set_place = call.argument(1);
  const int how = call.int_argument(0);
  if (call.phase() == 0) me.kept[0] = Signals::blocked(me);
  const std::uint64_t before = me.kept[0];
  if (set_place != 0 && call.phase() < 2) {
    const std::optional<std::uint64_t> given = set_at(call, set_place);
    if (!given) return Next::over;
    if (how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK)
      return by_errno ? fail_with(call, EINVAL) : call.result_int(EINVAL);
    const std::uint64_t after = how == SIG_BLOCK     ? before | *given
                                : how == SIG_UNBLOCK ? before & ~*given
                                                     : *given;
    if (const auto next = stand_at_signals(call, Operation::signal_mask)) return *next;
    machine.signals.block(me, after);
    machine.done(true, after);
    if (machine.over) return Next::over;
  }
  if (call.phase() < 2) {
    if (!write_set(call, call.argument(2), before)) return Next::over;
    me.phase = 2;
  }
  if (set_place != 0) {
    if (const auto next = handle_all(call, false)) return *next;
  }
  return call.result_int(0);
}

SentSignal by_call(int signal, int code, std::uint64_t value = 0) {
  SentSignal sent;
  sent.number = signal;
  sent.code = code;
  sent.value = value;
  return sent;
}

// Phases: 0 and 1 send it, 2 handles what the call promises. target: nullptr: the process. kept[0]: whether
// it handles.
std::optional<Next> send_from(Call& call, const Thread* target, const SentSignal& signal) {
  Machine& machine = call.machine;
  Thread& me = call.thread;
  if (call.phase() < 2) {
    if (const auto next = stand_at_signals(call, Operation::signal_send)) return next;
    if (!machine.send_signal(target, signal, machine.code_of(me))) return Next::over;
    machine.done(true, static_cast<std::uint64_t>(signal.number),
                 target != nullptr ? target->object_address() : 0);
    if (machine.over) return Next::over;
    me.kept[0] = target == &me ? 1 : target == nullptr && machine.takes_alone(me, signal.number) ? 2 : 0;
    me.phase = 2;
  }
  return me.kept[0] == 0 ? std::nullopt : handle_all(call, me.kept[0] == 1);
}

Next finish_send(Call& call, std::optional<Next> next) { return next ? *next : call.result_int(0); }

Next send_to_thread(Call& call, const SentSignal& signal) {
  if (signal.number != 0 && !is_for_programs(signal.number)) return call.result_int(EINVAL);
  Thread* const target = call.machine.find_thread(call.argument(0));
  if (target == nullptr) return call.result_int(ESRCH);
  return signal.number == 0 ? call.result_int(0) : finish_send(call, send_from(call, target, signal));
}

Next send_to_process(Call& call, std::int32_t process, const SentSignal& signal) {
  if (signal.number < 0 || signal.number > kLastSignal) return fail_with(call, EINVAL);
  if (process != kProcessNumber) return refuse(call, "a signal to another process");
  return signal.number == 0 ? call.result_int(0) : finish_send(call, send_from(call, nullptr, signal));
}

// On a set of signals in the program's memory.
template <typename Change>
Next change_set(Call& call, Change change) {
  const std::uint64_t place = call.argument(0);
  if (!call.machine.may_write(place, sizeof(sigset_t))) return Next::over;
  sigset_t set = at<sigset_t>(place);
  if (change(&set) != 0) return fail_with(call, EINVAL);
  return put_value(call, place, set) ? call.result_int(0) : Next::over;
}

}  // namespace

std::optional<std::uint64_t> set_at(Call& call, std::uint64_t place) {
  if (!call.machine.may_read(place, sizeof(sigset_t))) return std::nullopt;
  return at<sigset_t>(place).__val[0];
}

std::optional<Next> raise_signal(Call& call, int signal) {
  return send_from(call, &call.thread, by_call(signal, SI_TKILL));
}

Next do_sigaction(Call& call) {
  const int signal = call.int_argument(0);
  if (!is_for_programs(signal)) return fail_with(call, EINVAL);
  if (call.phase() == 0) keep_action(call, Signals::action(signal));
  if (const std::uint64_t place = call.argument(1); place != 0) {
    if (!has_settable_action(signal)) return fail_with(call, EINVAL);
    if (!call.machine.may_read(place, sizeof(struct sigaction))) return Next::over;
    const Next next = change_action(call, signal, taken_from(at<struct sigaction>(place)), 0);
    if (next != Next::done) return next;
  }
  if (call.argument(2) != 0) {
    const struct sigaction old = as_plain_action(kept_action(call));
    if (!put_value(call, call.argument(2), old)) return Next::over;
  }
  return call.result_int(0);
}

Next do_signal(Call& call) { return change_handler(call, SA_RESTART); }
Next do_sysv_signal(Call& call) { return change_handler(call, SA_RESETHAND | SA_NODEFER); }

Next do_siginterrupt(Call& call) {
  const int signal = call.int_argument(0);
  if (!has_settable_action(signal)) return fail_with(call, EINVAL);
  if (call.phase() == 0) keep_action(call, Signals::action(signal));
  SignalAction action = kept_action(call);
  action.flags = call.int_argument(1) != 0 ? action.flags & ~SA_RESTART : action.flags | SA_RESTART;
  return change_action(call, signal, action, 0);
}

Next do_sigaltstack(Call& call) {
  Thread& me = call.thread;
  const AlternateStack before = Signals::alternate(me);
  const bool is_on_it = before.size != 0 && me.alternate_begin == before.begin;
  if (const std::uint64_t place = call.argument(0); place != 0) {
    constexpr std::size_t kSmallest = 2048;
    if (!call.machine.may_read(place, sizeof(stack_t))) return Next::over;
    const stack_t given = at<stack_t>(place);
    const bool is_none = (given.ss_flags & SS_DISABLE) != 0;
    if (is_on_it) return fail_with(call, EPERM);
    if (!is_none && given.ss_size < kSmallest) return fail_with(call, ENOMEM);
    call.machine.signals.set_alternate(
        me, is_none ? AlternateStack{}
                    : AlternateStack{reinterpret_cast<std::uint64_t>(given.ss_sp), given.ss_size});
  }
  if (const std::uint64_t place = call.argument(1); place != 0) {
    stack_t old{};
    old.ss_sp = reinterpret_cast<void*>(before.begin);
    old.ss_size = before.size;
    old.ss_flags = before.size == 0 ? SS_DISABLE : is_on_it ? SS_ONSTACK : 0;
    if (!put_value(call, place, old)) return Next::over;
  }
  return call.result_int(0);
}

Next do_pthread_sigmask(Call& call) { return change_mask(call, false); }
Next do_sigprocmask(Call& call) { return change_mask(call, true); }

Next do_sigpending(Call& call) {
  if (const auto next = stand_at_signals(call, Operation::signal_pending)) return *next;
  const std::uint64_t set = Signals::pending(call.thread) & Signals::blocked(call.thread);
  call.machine.done(false, set);
  if (call.machine.over || !write_set(call, call.argument(0), set)) return Next::over;
  return call.result_int(0);
}

Next do_raise(Call& call) {
  const int signal = call.int_argument(0);
  if (!is_for_programs(signal)) return fail_with(call, EINVAL);
  return finish_send(call, raise_signal(call, signal));
}

Next do_pthread_kill(Call& call) { return send_to_thread(call, by_call(call.int_argument(1), SI_TKILL)); }
Next do_pthread_sigqueue(Call& call) {
  return send_to_thread(call, by_call(call.int_argument(1), SI_QUEUE, call.argument(2)));
}
Next do_kill(Call& call) {
  return send_to_process(call, call.int_argument(0), by_call(call.int_argument(1), SI_USER));
}
// The process is in a group of its own.
Next do_killpg(Call& call) {
  const int group = call.int_argument(0);
  return send_to_process(call, group == 0 ? kProcessNumber : group, by_call(call.int_argument(1), SI_USER));
}
Next do_sigqueue(Call& call) {
  return send_to_process(call, call.int_argument(0),
                         by_call(call.int_argument(1), SI_QUEUE, call.argument(2)));
}

Next do_tgkill(Call& call) {
  const int signal = call.int_argument(2);
  if (call.int_argument(0) != kProcessNumber || (signal != 0 && !is_for_programs(signal)))
    return fail_with(call, EINVAL);
  Thread* const target = thread_of_number(call.int_argument(1));
  if (target == nullptr) return fail_with(call, ESRCH);
  return signal == 0 ? call.result_int(0)
                     : finish_send(call, send_from(call, target, by_call(signal, SI_TKILL)));
}

Thread* thread_of_number(std::int32_t number) {
  const std::int64_t slot = std::int64_t{number} - kProcessNumber;
  if (slot < 0 || slot >= Machine::course().slots_used) return nullptr;
  Thread& thread = Machine::thread(static_cast<std::uint32_t>(slot));
  return thread.is_timer ? nullptr : &thread;
}

// Sets of signals.

Next do_sigemptyset(Call& call) {
  return change_set(call, [](sigset_t* set) { return sigemptyset(set); });
}
Next do_sigfillset(Call& call) {
  return change_set(call, [](sigset_t* set) { return sigfillset(set); });
}
Next do_sigaddset(Call& call) {
  return change_set(call, [&](sigset_t* set) { return sigaddset(set, call.int_argument(1)); });
}
Next do_sigdelset(Call& call) {
  return change_set(call, [&](sigset_t* set) { return sigdelset(set, call.int_argument(1)); });
}
Next do_sigismember(Call& call) {
  if (!call.machine.may_read(call.argument(0), sizeof(sigset_t))) return Next::over;
  const int result = sigismember(&at<sigset_t>(call.argument(0)), call.int_argument(1));
  return result < 0 ? fail_with(call, EINVAL) : call.result_int(result);
}
Next do_first_real_time(Call& call) { return call.result_int(SIGRTMIN); }
Next do_last_real_time(Call& call) { return call.result_int(SIGRTMAX); }

}  // namespace thrum::vm
