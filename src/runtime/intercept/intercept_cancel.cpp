// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thread cancellation: cancellation.hpp. Waits that are cancellation points are in the files of their
// subjects.

#include <pthread.h>
#include <cerrno>

#include "runtime/base/jump_buffer.hpp"
#include "runtime/intercept/intercept.hpp"
#include "runtime/libc/libc_calls.hpp"
#include "runtime/threads/cancellation.hpp"
#include "runtime/threads/signal_delivery.hpp"

using namespace thrum;

namespace {

CleanupBuffer* buffer_at(__pthread_unwind_buf_t* place) { return reinterpret_cast<CleanupBuffer*>(place); }

// Changes the thread's cancel state or type. If a pending cancel may act anywhere now, it does.
void change_setting(bool& setting, bool value, std::uint64_t code) {
  Thread& me = scheduler().current();
  if (world.running) scheduler().arrive(Operation::cancel_setting, cancel_object(me), 0, code);
  setting = value;
  if (world.running) scheduler().done(Scheduler::Effect::change, value ? 1 : 0);
  if (me.cancellation.asynchronous) cancellation_point(code);
}

}  // namespace

THRUM_EXPORT int pthread_cancel(pthread_t handle) {
  THRUM_FORWARD(pthread_cancel, handle)
  Thread* target = find_thread(handle);
  if (!target) return ESRCH;
  Cancellation& state = target->cancellation;
  if (!world.running) {
    state.pending = true;
    if (state.asynchronous) cancellation_point(THRUM_CALLER);
    return 0;
  }
  scheduler().arrive(Operation::cancel, cancel_object(*target), 0, THRUM_CALLER);
  bool changes = !state.pending && target->life != Life::ended;
  if (changes) {
    state.pending = true;
    if (target->at_cancellation_point && state.acts()) target->cancelled = true;
    if (state.asynchronous && state.acts() && target != &scheduler().current())
      send_signal(target, make_info(kCancelSignal, SI_TKILL), THRUM_CALLER);
  }
  scheduler().done(changes ? Scheduler::Effect::change : Scheduler::Effect::read, target->id,
                   state.asynchronous ? 1 : 0, changes ? Outcome::done : Outcome::unchanged);
  if (target == &scheduler().current() && state.asynchronous) cancellation_point(THRUM_CALLER);
  return 0;
}

THRUM_LOOP_IMPL void pthread_testcancel_impl() {
  THRUM_FORWARD(pthread_testcancel)
  if (world.running) {
    scheduler().arrive_in_loop(Operation::cancel_test, cancel_object(scheduler().current()), 0, THRUM_CALLER);
    scheduler().done(Scheduler::Effect::read, scheduler().current().cancellation.pending ? 1 : 0);
  }
  cancellation_point(THRUM_CALLER);
}

THRUM_EXPORT int pthread_setcancelstate(int state, int* old) {
  THRUM_FORWARD(pthread_setcancelstate, state, old)
  if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE) return EINVAL;
  bool& disabled = scheduler().current().cancellation.disabled;
  if (old) *old = disabled ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
  pthread_setcancelstate_call{THRUM_CALLER}.after(old);
  change_setting(disabled, state == PTHREAD_CANCEL_DISABLE, THRUM_CALLER);
  return 0;
}

THRUM_EXPORT int pthread_setcanceltype(int type, int* old) {
  THRUM_FORWARD(pthread_setcanceltype, type, old)
  if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS) return EINVAL;
  bool& asynchronous = scheduler().current().cancellation.asynchronous;
  if (old) *old = asynchronous ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
  pthread_setcanceltype_call{THRUM_CALLER}.after(old);
  change_setting(asynchronous, type == PTHREAD_CANCEL_ASYNCHRONOUS, THRUM_CALLER);
  return 0;
}

// For pthread_cleanup_push and _pop in C without exceptions. With exceptions, and in C++, cleanup handlers
// are like destructors.
THRUM_EXPORT void __pthread_register_cancel(__pthread_unwind_buf_t* place) {
  THRUM_FORWARD(__pthread_register_cancel, place)
  void*& innermost = scheduler().current().cancellation.cleanup;
  buffer_at(place)->outer = static_cast<CleanupBuffer*>(innermost);
  innermost = place;
}

THRUM_EXPORT void __pthread_unregister_cancel(__pthread_unwind_buf_t* place) {
  THRUM_FORWARD(__pthread_unregister_cancel, place)
  scheduler().current().cancellation.cleanup = buffer_at(place)->outer;
}

// The same, with deferred cancellation in between.
THRUM_EXPORT void __pthread_register_cancel_defer(__pthread_unwind_buf_t* place) {
  THRUM_FORWARD(__pthread_register_cancel_defer, place)
  int type;
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
  buffer_at(place)->type_before = type;
  __pthread_register_cancel(place);
}

THRUM_EXPORT void __pthread_unregister_cancel_restore(__pthread_unwind_buf_t* place) {
  THRUM_FORWARD(__pthread_unregister_cancel_restore, place)
  __pthread_unregister_cancel(place);
  pthread_setcanceltype(buffer_at(place)->type_before, nullptr);
}

THRUM_EXPORT void __pthread_unwind_next(__pthread_unwind_buf_t* place) {
  if (!searching()) {
    THRUM_REAL(__pthread_unwind_next);
    real(place);
    __builtin_unreachable();
  }
  scheduler().current().cancellation.cleanup = buffer_at(place)->outer;
  unwind_thread();
}
