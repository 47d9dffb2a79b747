// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/unwind.hpp"

namespace thrum::vm {

namespace {

// struct _Unwind_Exception. The last two words are the unwinder's own.
struct UnwindHeader {
  std::uint64_t exception_class;
  std::uint64_t cleanup;
  std::uint64_t selector;  // of the handler
  std::uint64_t
      handler;  // the number of its frame, counted from 1 at the bottom; 0: unwinding goes on to the bottom
};
constexpr std::uint64_t kEndOfStack = 5;  // _URC_END_OF_STACK

// What raise_exception() keeps from one phase to the next.
enum KeptByRaise : std::size_t { kFrame, kClause, kType, kException };

const LandingPad* pad_of(const Machine& machine, const Thread& thread, const Frame& frame) {
  if (&frame != thread.top && !machine.is_calling(thread, &frame)) return nullptr;
  const Instruction* const call = frame.next - 1;
  const std::size_t at = static_cast<std::size_t>(call - frame.function->code.data());
  const Opcode opcode = frame.function->opcodes[at];
  if (opcode != Opcode::call && opcode != Opcode::call_indirect && opcode != Opcode::call_external)
    return nullptr;
  const CallSite& site = frame.function->calls[static_cast<std::size_t>(call->immediate)];
  return site.landing_pad == CallSite::kNoPad ? nullptr : &frame.function->pads[site.landing_pad];
}

// Whether the call that runs in the frame is a pthread_once, whose routine is left.
bool calls_once(const Machine& machine, const Frame& frame) {
  const Instruction& call = frame.next[-1];
  const auto at = static_cast<std::size_t>(&call - frame.function->code.data());
  const CallSite& site = frame.function->calls[static_cast<std::size_t>(call.immediate)];
  const Function* const callee = frame.function->opcodes[at] == Opcode::call_indirect
                                     ? machine.function_at_address(frame.registers[call.a])
                                     : site.callee;
  return callee != nullptr && callee->external != 0 && external(callee->external).code == do_pthread_once;
}

UnwindHeader& header_at(std::uint64_t exception) { return at<UnwindHeader>(exception); }

// The machine's own exception, which ends the thread: it lies where no other thread finds it.
std::uint64_t forced_exception(const Thread& thread) { return thread_part(thread.slot) + kStackEnd + 128; }

// What the first clause that catches it gives to a landing pad; 0: none does.
std::uint32_t selector_of_forced(const Machine& machine, const LandingPad& pad) {
  for (const LandingPad::Clause& clause : pad.clauses) {
    if (clause.is_filter) continue;
    if (clause.type == 0) return 1;
    for (const Variable& variable : machine.code.variables) {
      if (variable.address == clause.type && variable.name == "_ZTIN10__cxxabiv115__forced_unwindE")
        return selector_of(clause.type);
    }
  }
  return 0;
}

// Goes to the next landing pad below `from`: the handler's, or one that cleans up; or to C's next cleanup
// handler, if the thread ends. False: there is none. calls: the top frame is in the middle of a call.
bool land(Machine& machine, Thread& thread, Frame* from, std::uint64_t exception, bool calls = true) {
  const UnwindHeader header = header_at(exception);
  const bool is_forced = exception == forced_exception(thread);
  for (Frame* frame = from; frame >= thread.bottom; --frame) {
    if (frame < thread.top && frame[1].then == Then::call && calls_once(machine, *frame)) {
      machine.leave_frames(thread, *frame);
      thread.in_call = true;
      thread.phase = kOnceFails;
      thread.kept[0] = exception;
      return true;
    }
    if (is_forced && goes_to_cleanup(machine, thread, *frame)) return true;
    const bool is_in_call = frame != thread.top || calls;
    const LandingPad* const pad = is_in_call ? pad_of(machine, thread, *frame) : nullptr;
    const bool handles = header.handler == static_cast<std::uint64_t>(frame - thread.bottom) + 1;
    const std::uint32_t caught = pad != nullptr && is_forced ? selector_of_forced(machine, *pad) : 0;
    if (pad == nullptr || (!handles && !pad->cleanup && caught == 0)) continue;
    machine.leave_frames(thread, *frame);
    frame->registers[pad->exception] = exception;
    frame->registers[pad->selector] = handles ? header.selector : caught;
    frame->next = frame->function->code.data() + pad->target;
    return true;
  }
  return false;
}

}  // namespace

// Phase 1 of the ABI: which frame handles it? The C++ library says for each clause whether it matches, by a
// function of the program's (thrum_vm_match), so this goes in steps. Then phase 2: the first landing pad.
Next raise_exception(Call& call) {
  Thread& thread = call.thread;
  Machine& machine = call.machine;
  if (call.phase() == 0) {
    if (call.argument(0) == forced_exception(thread)) {  // it was caught, and goes on
      thread.in_call = false;
      return go_on_unwinding(machine, thread, thread.top, call.argument(0)) ? Next::unwound : Next::over;
    }
    thread.kept[kException] = call.argument(0);
    thread.kept[kFrame] = static_cast<std::uint64_t>(thread.top - thread.bottom);
    thread.kept[kClause] = thread.kept[kType] = 0;
  }
  const std::uint64_t exception = thread.kept[kException];
  bool has_answer = call.phase() != 0;
  const bool matches = has_answer && (thread.result & 1) != 0;
  thread.phase = 1;
  const auto found = [&](Frame* frame, std::uint32_t selector) {
    UnwindHeader header = header_at(exception);
    header.selector = selector;
    header.handler = static_cast<std::uint64_t>(frame - thread.bottom) + 1;
    machine.write(exception, header);
    thread.phase = 0;
    land(machine, thread, thread.top, exception);
    return Next::unwound;
  };
  for (Frame* frame = thread.bottom + thread.kept[kFrame]; frame >= thread.bottom; --frame) {
    const LandingPad* const pad = pad_of(machine, thread, *frame);
    for (; pad != nullptr && thread.kept[kClause] < pad->clauses.size();
         ++thread.kept[kClause], thread.kept[kType] = 0) {
      const LandingPad::Clause& clause = pad->clauses[thread.kept[kClause]];
      if (has_answer) {
        has_answer = false;
        if (!clause.is_filter) {
          if (matches) return found(frame, clause.type == 0 ? 1 : selector_of(clause.type));
          continue;
        }
        if (matches) continue;  // the exception may pass
        ++thread.kept[kType];
      }
      if (clause.is_filter && thread.kept[kType] >= clause.types.size())
        return found(frame, static_cast<std::uint32_t>(-1));
      const std::uint64_t type = clause.is_filter ? clause.types[thread.kept[kType]] : clause.type;
      if (machine.code.match_exception == nullptr) return found(frame, 1);
      thread.kept[kFrame] = static_cast<std::uint64_t>(frame - thread.bottom);
      machine.push(thread, *machine.code.match_exception, {type, exception}, Then::call);
      return Next::entered;
    }
    thread.kept[kClause] = thread.kept[kType] = 0;
  }
  thread.phase = 0;
  return call.result(kEndOfStack);
}

bool is_forced_exception(const Thread& thread, std::uint64_t exception) {
  return exception == forced_exception(thread);
}

// The frames are left from the top; those that clean up do. The machine's own exception has no handler.
Next unwind_thread(Machine& machine, Thread& thread) {
  const std::uint64_t exception = forced_exception(thread);
  // std::terminate looks before it, where exceptions of C++ have more.
  constexpr std::uint64_t kBefore = 128;
  machine.memory.fill(exception - kBefore, 0, kBefore);
  machine.memory.set_shadow(exception - kBefore, kBefore + sizeof(UnwindHeader), kAddressable | kDefined);
  machine.write(exception, UnwindHeader{});
  const std::uint64_t result = thread.result;
  machine.note_exit(thread);
  const bool calls = thread.in_call;
  thread.in_call = false;
  thread.phase = 0;
  thread.exit_result = result;
  if (thread.top >= thread.bottom && land(machine, thread, thread.top, exception, calls))
    return Next::unwound;
  return machine.leave_all_frames(thread);
}

bool resume_unwinding(Machine& machine, Thread& thread, std::uint64_t exception) {
  return go_on_unwinding(machine, thread, thread.top - 1, exception);
}

bool go_on_unwinding(Machine& machine, Thread& thread, Frame* from, std::uint64_t exception) {
  if (!machine.may_read(exception, sizeof(UnwindHeader))) return false;
  if (land(machine, thread, from, exception)) return true;
  if (header_at(exception).handler == 0) {
    machine.leave_all_frames(thread);
    return !machine.over;
  }
  machine.fail(BugKind::crash, "an exception goes on and no frame takes it");
  return false;
}

}  // namespace thrum::vm
