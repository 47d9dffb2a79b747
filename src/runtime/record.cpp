// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/record.hpp"

#include <unwind.h>
#include <algorithm>
#include <iterator>
#include <utility>

#include "runtime/allocations.hpp"
#include "runtime/focus.hpp"
#include "runtime/heap.hpp"
#include "runtime/long_waits.hpp"
#include "runtime/modules.hpp"
#include "runtime/native_program.hpp"
#include "runtime/scheduler.hpp"

namespace thrum {

namespace {

constexpr std::size_t kDepthMax = 64;
constexpr int kBasePointer = 6;  // DWARF's number of rbp

// The event, counted from 1, whose value is still to be read; 0: none.
constinit std::size_t g_awaited = 0;

struct FrameWalk {
  std::vector<RawFrame> frames;
  bool open = false;  // the last one's end is not known yet
};

_Unwind_Reason_Code collect_frame(_Unwind_Context* context, void* argument) {
  auto& walk = *static_cast<FrameWalk*>(argument);
  std::vector<RawFrame>& frames = walk.frames;
  // What the unwinder calls the frame address here is where the callee's frame ends.
  if (walk.open) frames.back().end = _Unwind_GetCFA(context);
  walk.open = false;
  int interrupted = 0;  // by a signal: the address is of the instruction itself, not of the one behind a call
  std::uint64_t address = _Unwind_GetIPInfo(context, &interrupted);
  if (interrupted) ++address;
  if (address == 0 || frames.size() == kDepthMax) return _URC_END_OF_STACK;
  if (!runtime_range().holds(address)) {
    frames.push_back({address, _Unwind_GetCFA(context), _Unwind_GetGR(context, kBasePointer)});
    walk.open = true;
  }
  return _URC_NO_REASON;
}

struct CodeWalk {
  std::span<std::uint64_t> code;
  std::size_t depth = 0;
};

_Unwind_Reason_Code collect_code(_Unwind_Context* context, void* argument) {
  auto& walk = *static_cast<CodeWalk*>(argument);
  std::uint64_t address = _Unwind_GetIP(context);
  if (address == 0 || walk.depth == walk.code.size()) return _URC_END_OF_STACK;
  if (!runtime_range().holds(address)) walk.code[walk.depth++] = address;
  return _URC_NO_REASON;
}

_Unwind_Reason_Code collect_registers(_Unwind_Context* context, void* argument) {
  auto& frame = *static_cast<CallerState*>(argument);
  if (_Unwind_GetCFA(context) != frame.stack_pointer) return _URC_NO_REASON;
  static constexpr int kKept[] = {3, kBasePointer, 12, 13, 14, 15};  // rbx and r12 to r15
  for (std::size_t i = 0; i < std::size(kKept); ++i) frame.registers[i] = _Unwind_GetGR(context, kKept[i]);
  return _URC_END_OF_STACK;
}

// Where to go on when the unwinder faults.
volatile bool g_unwinding = false;
void* g_escape[5];  // as __builtin_setjmp wants it

// As far as the stack can be read: the program may have written over it.
[[gnu::noinline]] void walk_stack(_Unwind_Trace_Fn visit, void* argument) {
  if (__builtin_setjmp(g_escape) == 0) {
    g_unwinding = true;
    _Unwind_Backtrace(visit, argument);
  }
  g_unwinding = false;
}

std::vector<RawFrame> running_frames() {
  FrameWalk walk;
  walk_stack(collect_frame, &walk);
  return std::move(walk.frames);
}

std::vector<Place> places_of(const std::vector<RawFrame>& frames) {
  std::vector<Place> places;
  places.reserve(frames.size());
  for (const RawFrame& frame : frames) places.push_back(place_of(frame.code));
  return places;
}

// The number of the frame that holds an address of a thread's stack, in the current trace counted from 1; 0
// where no frame is known to.
std::uint32_t frame_number(const Thread& thread, std::uint64_t address) {
  auto top = reinterpret_cast<std::uint64_t>(thread.stack_top);
  for (const RawFrame& raw : thread.frames) {
    if (address < raw.stack_pointer || address >= raw.end) continue;
    std::vector<StackFrame>& frames = current_trace().frames;
    StackFrame frame{place_of(raw.code), top - raw.stack_pointer, top - raw.base_pointer, top - raw.end};
    auto known = std::find(frames.begin(), frames.end(), frame);
    if (known == frames.end()) known = frames.insert(frames.end(), frame);
    return static_cast<std::uint32_t>(known - frames.begin()) + 1;
  }
  return 0;
}

void note_block(const Place& place) {
  std::vector<HeapBlock>& blocks = current_trace().blocks;
  bool known = std::any_of(blocks.begin(), blocks.end(), [&](const HeapBlock& block) {
    return block.thread == place.owner && block.number == place.number;
  });
  if (known) return;
  HeapBlock block{place.owner, place.number, 0, {}};
  if (const Allocation* made = allocations().find(place.owner, place.number)) {
    block.size = made->size;
    for (std::uint64_t code : made->code) {
      if (code != 0) block.allocated.push_back(place_of(code));
    }
  }
  blocks.push_back(std::move(block));
}

}  // namespace

void leave_unwinding() {
  if (g_unwinding) __builtin_longjmp(g_escape, 1);
}

std::vector<Place> running_stack() { return places_of(running_frames()); }

void running_code(std::span<std::uint64_t> code) {
  CodeWalk walk{code};
  walk_stack(collect_code, &walk);
}

CallerState kept_registers(const void* stack_pointer) {
  CallerState frame{{}, reinterpret_cast<std::uint64_t>(stack_pointer)};
  walk_stack(collect_registers, &frame);
  return frame;
}

void note_stack(Thread& thread) {
  if (focus().is_on_code()) thread.focus = focus().of_running_stack();
  if (!scheduler().director().records_places()) return;
  thread.frames = running_frames();
  thread.stack = places_of(thread.frames);
}

Place place_of(std::uint64_t address) {
  constexpr std::uint64_t kNullPage = 4096;
  Place place;
  if (address < kNullPage) return place;
  BlockName block;
  if (the_heap.find(address, block)) return {Place::Space::heap, block.thread, block.number, block.offset};
  for (std::uint16_t slot = 0; slot < scheduler().slots_used(); ++slot) {
    const Thread& thread = scheduler().thread_in_slot(slot);
    auto top = reinterpret_cast<std::uint64_t>(thread.stack_top);
    if (address >= reinterpret_cast<std::uint64_t>(thread.stack_bottom) && address < top) {
      return {Place::Space::stack, thread.id, 0, top - address};
    }
  }
  find_in_modules(address, place);
  return place;
}

Place described_place(std::uint64_t address) {
  Place place = place_of(address);
  if (place.space == Place::Space::heap) note_block(place);
  if (place.space != Place::Space::stack) return place;
  for (const Thread* thread : scheduler().live()) {
    if (thread->id == place.owner) place.number = frame_number(*thread, address);
  }
  return place;
}

void await_written_value() { g_awaited = current_trace().events.size(); }

void take_written_value() {
  if (g_awaited == 0) return;
  Trace& trace = current_trace();
  const std::size_t i = std::exchange(g_awaited, 0) - 1;
  if (i >= trace.events.size()) return;
  Event& event = trace.events[i];
  event.operand = value_at(reinterpret_cast<const void*>(event.object), event.size);
  if (i < trace.places.size()) trace.places[i].operand = described_place(event.operand);
}

void give_up_written_value() { g_awaited = 0; }

void record_event(Thread& thread, std::uint64_t value, std::uint64_t operand, Outcome outcome) {
  take_written_value();
  Trace& trace = current_trace();
  Event& event = trace.events.emplace_back();
  event.object = thread.object;
  event.value = value;
  event.operand = operand;
  event.code = thread.code;
  event.index = thread.events;
  event.thread = thread.id;
  event.operation = thread.operation;
  event.outcome = outcome;
  event.size = thread.size;
  switch (event.operation) {
    case Operation::read_modify_write:
    case Operation::compare_exchange:
    case Operation::signal:
    case Operation::futex_wake:
    case Operation::thread_create:
    case Operation::thread_join:
      event.argument = thread.operation_argument;
      event.update = thread.update;
      break;
    case Operation::wait_reacquire:
    case Operation::futex_return:
    case Operation::barrier_leave: event.woken_by = thread.woken_by; break;
    default: break;
  }
  event.timed = thread.has_deadline && ends_early(thread.length_ns);
  if (focus().is_on()) event.focus = thread.focus | focus().of_object(event.object, event.size);
  event.forced = thread.forced;
  thread.has_deadline = thread.forced = false;
  if (!scheduler().director().records_places()) return;
  trace.places.push_back(
      {described_place(event.object), described_place(value), described_place(operand), thread.stack});
}

void note_in_trace(Operation operation, const Thread& other, std::uint64_t code) {
  if (!world.recording) return;
  Thread& me = scheduler().current();
  me.operation = operation;
  me.object = Scheduler::object_of(other);
  me.size = 0;
  me.code = code;
  note_stack(me);
  me.operation_argument = other.id;
  record_event(me, 0, 0, Outcome::done);
}

}  // namespace thrum
