// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/threads/cancellation.hpp"

#include <pthread.h>
#include <unwind.h>
#include <csetjmp>

#include "runtime/base/engine.hpp"
#include "runtime/base/jump_buffer.hpp"
#include "runtime/threads/record.hpp"
#include "runtime/threads/scheduler.hpp"

namespace thrum {

namespace {

// Called for each frame before it is left. C code without exceptions keeps its cleanup handlers in buffers on
// the stack. If the next buffer lies in the frame, its handler runs by a long jump, and then asks to continue
// (__pthread_unwind_next).
_Unwind_Reason_Code stop_at(int, _Unwind_Action actions, _Unwind_Exception_Class, _Unwind_Exception*,
                            _Unwind_Context* context, void*) {
  bool end = (actions & _UA_END_OF_STACK) != 0;
  if (auto* buffer = static_cast<CleanupBuffer*>(scheduler().current().cancellation.cleanup)) {
    if (end || _Unwind_GetCFA(context) >= stack_pointer_of(buffer->jump)) {
      static auto* const real = reinterpret_cast<void (*)(void*, int)>(next_function("longjmp"));
      real(buffer->jump, 1);
    }
  }
  if (end) finish_thread();
  return _URC_NO_REASON;
}

void not_rethrown(_Unwind_Reason_Code, _Unwind_Exception*) {
  fail_here(BugKind::crash, "FATAL: exception not rethrown");
}

}  // namespace

void unwind_thread() {
  static _Unwind_Exception unwinding[kThreadsMax];
  _Unwind_Exception& mine = unwinding[scheduler().current().slot];
  mine = {};
  mine.exception_cleanup = not_rethrown;
  _Unwind_ForcedUnwind(&mine, stop_at, nullptr);
  finish_thread();
}

void act_on_cancel(std::uint64_t code) {
  if (!world.running) exit_process(0);  // main was the only thread
  Thread& me = scheduler().current();
  me.operation = Operation::cancelled;
  me.object = cancel_object(me);
  me.size = 0;
  me.code = code;
  if (world.recording) note_stack(me);  // its last operation was elsewhere, perhaps
  scheduler().done(Scheduler::Effect::read, me.id);
  me.cancellation.disabled = true;
  me.cancellation.asynchronous = false;
  me.result = PTHREAD_CANCELED;
  unwind_thread();
}

bool wait_at_cancellation_point(Operation operation, std::uint64_t object, std::uint64_t code, Wait wait,
                                std::uint64_t deadline_ns) {
  Thread& me = scheduler().current();
  me.at_cancellation_point = true;
  scheduler().arrive_until(operation, object, code, wait, deadline_ns);
  me.at_cancellation_point = false;
  return !me.cancelled || me.timed_out || me.woken || me.woken_spuriously || me.interrupted;
}

}  // namespace thrum
