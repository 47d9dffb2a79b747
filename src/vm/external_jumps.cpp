// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// setjmp and longjmp, and what C's pthread_cleanup_push makes of them: a cleanup handler that runs when the
// thread ends is a long jump to where it was pushed.
#include <pthread.h>
#include <setjmp.h>

#include <csignal>

#include "vm/library.hpp"
#include "vm/unwind.hpp"

namespace thrum::vm {

namespace {

// What the machine keeps in a jmp_buf: in its registers' place.
struct JumpTarget {
  std::uint64_t mark;    // kJumpMark: it was filled
  std::uint64_t frame;   // counted from the bottom
  std::uint64_t next;    // the instruction behind setjmp
  std::uint64_t result;  // where setjmp's result goes
  std::uint64_t thread;  // its slot
};
static_assert(sizeof(JumpTarget) <= sizeof(__jmp_buf));
constexpr std::uint64_t kJumpMark = 0x5e7'1a9b'0ff5;

// As <pthread.h> lays it out.
struct CleanupBuffer {
  __jmp_buf registers;
  int mask_was_saved;
  std::uint64_t outer;
  int type_before;
};
static_assert(sizeof(CleanupBuffer) <= sizeof(__pthread_unwind_buf_t));

Next set_jump(Call& call, bool saves_mask) {
  Machine& machine = call.machine;
  const std::uint64_t place = call.argument(0);
  constexpr std::uint64_t kPlain = sizeof(__jmp_buf) + sizeof(int);
  if (!machine.may_write(place, saves_mask ? sizeof(jmp_buf) : kPlain)) return Next::over;
  const Thread& me = call.thread;
  const JumpTarget jump{kJumpMark, static_cast<std::uint64_t>(me.top - me.bottom),
                        reinterpret_cast<std::uint64_t>(me.top->next), call.site.result, me.slot};
  machine.write(place, jump);
  machine.write(place + sizeof(__jmp_buf), static_cast<int>(saves_mask));
  if (saves_mask) {
    sigset_t mask{};
    mask.__val[0] = Signals::blocked(me);
    machine.write(place + offsetof(__jmp_buf_tag, __saved_mask), &mask, sizeof mask);
  }
  return call.result_int(0);
}

// False: the function that called setjmp has returned, or another thread did; the execution has failed.
bool jump_to(Machine& machine, Thread& me, std::uint64_t place, std::uint64_t value) {
  const JumpTarget& to = at<JumpTarget>(place);
  Frame* const frame = me.bottom + to.frame;
  const auto next = reinterpret_cast<const Instruction*>(to.next);
  const bool is_there = to.mark == kJumpMark && to.thread == me.slot && frame >= me.bottom &&
                        frame <= me.top && next > frame->function->code.data() &&
                        next < frame->function->code.data() + frame->function->code.size();
  if (!is_there) {
    machine.fail(BugKind::crash, "longjmp to a call of setjmp whose function has returned");
    return false;
  }
  machine.leave_frames(me, *frame);
  frame->next = next;
  frame->registers[to.result] = static_cast<std::uint32_t>(value == 0 ? 1 : value);
  return true;
}

}  // namespace

Next do_setjmp(Call& call) { return set_jump(call, true); }
Next do_setjmp_without_mask(Call& call) { return set_jump(call, false); }
Next do_sigsetjmp(Call& call) { return set_jump(call, call.int_argument(1) != 0); }

Next do_longjmp(Call& call) {
  Machine& machine = call.machine;
  const std::uint64_t place = call.argument(0);
  if (!machine.may_read(place, sizeof(__jmp_buf) + sizeof(int))) return Next::over;
  machine.note_change(call.thread);
  if (at<int>(place + sizeof(__jmp_buf)) != 0) {
    if (!machine.may_read(place, sizeof(jmp_buf))) return Next::over;
    machine.signals.block(call.thread, at<__jmp_buf_tag>(place).__saved_mask.__val[0]);
  }
  return jump_to(machine, call.thread, place, call.argument(1)) ? Next::unwound : Next::over;
}

// Cleanup handlers of C.

Next do_register_cancel(Call& call) {
  const std::uint64_t place = call.argument(0);
  if (!call.machine.may_write(place, sizeof(CleanupBuffer))) return Next::over;
  call.machine.write(place + offsetof(CleanupBuffer, outer), call.thread.cancellation.cleanup);
  call.thread.cancellation.cleanup = place;
  return Next::done;
}

Next do_unregister_cancel(Call& call) {
  if (!call.machine.may_read(call.argument(0), sizeof(CleanupBuffer))) return Next::over;
  call.thread.cancellation.cleanup = at<CleanupBuffer>(call.argument(0)).outer;
  return Next::done;
}

// The innermost handler has run, and the thread goes on to end.
Next do_unwind_next(Call& call) {
  if (!call.machine.may_read(call.argument(0), sizeof(CleanupBuffer))) return Next::over;
  call.thread.cancellation.cleanup = at<CleanupBuffer>(call.argument(0)).outer;
  call.thread.result = call.thread.exit_result;
  return unwind_thread(call.machine, call.thread);
}

bool goes_to_cleanup(Machine& machine, Thread& thread, Frame& frame) {
  const std::uint64_t place = thread.cancellation.cleanup;
  if (place == 0 || !in_arena(place, sizeof(CleanupBuffer))) return false;
  if (thread.bottom + at<JumpTarget>(place).frame != &frame) return false;
  return jump_to(machine, thread, place, 1);
}

}  // namespace thrum::vm
