// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cancellation: a cancelled thread ends at its next cancellation point, or, where its type is asynchronous,
// anywhere, as if by a signal.
#include <pthread.h>

#include "vm/library.hpp"

namespace thrum::vm {

std::optional<Next> cancellation_point(Call& call) {
  if (__builtin_expect(!call.thread.cancellation.acts(), 1)) return std::nullopt;
  return call.machine.act_on_cancel(call.thread, call.machine.code_of(call.thread));
}

std::optional<Next> stand_cancellable(Call& call, std::uint32_t phase, Operation operation,
                                      std::uint64_t object, Wait wait, std::uint64_t deadline_ns) {
  if (call.thread.phase == phase) call.thread.at_cancellation_point = true;
  if (wait == Wait::signal && call.thread.phase == phase) call.thread.signals = call.thread.kept[1];
  return stand_until(call, phase, operation, object, wait, deadline_ns);
}

bool is_cancelled_in_wait(Call& call) {
  Thread& me = call.thread;
  me.at_cancellation_point = false;
  return me.cancelled && !me.timed_out && !me.woken && !me.woken_spuriously && !me.interrupted;
}

std::optional<Next> test_before_file(Call& call) {
  Machine& machine = call.machine;
  Thread& me = call.thread;
  static constexpr const char* kCancels = "pthread_cancel";
  if (call.phase() > 1 || machine.code.find(kCancels) == nullptr) return std::nullopt;
  if (machine.in_execution && me.atomic_depth == 0) {
    if (call.phase() == 0) machine.note_change(me);
    if (const auto next = stand(call, 0, Operation::cancel_test, me.cancel_object())) return next;
    machine.done(false, me.cancellation.pending ? 1 : 0);
    if (machine.over) return Next::over;
  }
  me.phase = 2;
  return cancellation_point(call);
}

namespace {

// Changes the thread's own state or type; a cancel that may act anywhere now does.
Next change_cancellation(Call& call, bool Cancellation::*setting, bool value, int before) {
  Machine& machine = call.machine;
  Thread& me = call.thread;
  if (call.phase() == 0 && !put_value(call, call.argument(1), before)) return Next::over;
  if (const auto next = stand(call, 0, Operation::cancel_setting, me.cancel_object())) return *next;
  me.cancellation.*setting = value;
  machine.done(true, value ? 1 : 0);
  if (machine.over) return Next::over;
  if (me.cancellation.asynchronous) {
    if (const auto next = cancellation_point(call)) return *next;
  }
  return call.result_int(0);
}

}  // namespace

Next do_pthread_cancel(Call& call) {
  Machine& machine = call.machine;
  Thread* const target = machine.find_thread(call.argument(0));
  if (target == nullptr) return call.result_int(ESRCH);
  if (const auto next = stand(call, 0, Operation::cancel, target->cancel_object())) return *next;
  Cancellation& state = machine.change(*target).cancellation;
  const bool is_own = target == &call.thread;
  const bool changes = !state.pending && target->life != Life::ended;
  if (changes) {
    state.pending = true;
    if (target->at_cancellation_point && state.acts()) target->cancelled = true;
    if (state.asynchronous && state.acts() && !is_own && machine.in_execution) {
      SentSignal signal;
      signal.number = kCancellation;
      if (!machine.send_signal(target, signal, machine.code_of(call.thread))) return Next::over;
    }
  }
  machine.done(changes, target->id, state.asynchronous ? 1 : 0, changes ? Outcome::done : Outcome::unchanged);
  if (machine.over) return Next::over;
  if (is_own && state.asynchronous) {
    if (const auto next = cancellation_point(call)) return *next;
  }
  return call.result_int(0);
}

Next do_testcancel(Call& call) {
  if (const auto next = stand(call, 0, Operation::cancel_test, call.thread.cancel_object())) return *next;
  call.machine.done(false, call.thread.cancellation.pending ? 1 : 0);
  if (call.machine.over) return Next::over;
  if (const auto next = cancellation_point(call)) return *next;
  return Next::done;
}

Next do_setcancelstate(Call& call) {
  const int state = call.int_argument(0);
  if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE) return call.result_int(EINVAL);
  const int before = call.thread.cancellation.disabled ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
  return change_cancellation(call, &Cancellation::disabled, state == PTHREAD_CANCEL_DISABLE, before);
}

Next do_setcanceltype(Call& call) {
  const int type = call.int_argument(0);
  if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS) return call.result_int(EINVAL);
  const int before =
      call.thread.cancellation.asynchronous ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
  return change_cancellation(call, &Cancellation::asynchronous, type == PTHREAD_CANCEL_ASYNCHRONOUS, before);
}

}  // namespace thrum::vm
