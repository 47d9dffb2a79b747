// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/record.hpp"

#include <unwind.h>

#include "runtime/heap.hpp"
#include "runtime/modules.hpp"
#include "runtime/native_program.hpp"
#include "runtime/scheduler.hpp"

namespace thrum {

namespace {

constexpr std::size_t kDepthMax = 64;

_Unwind_Reason_Code collect_frame(_Unwind_Context* context, void* argument) {
  auto& frames = *static_cast<std::vector<Place>*>(argument);
  int interrupted = 0;  // by a signal: the address is of the instruction itself, not of the one behind a call
  std::uint64_t address = _Unwind_GetIPInfo(context, &interrupted);
  if (interrupted) ++address;
  if (address == 0 || frames.size() == kDepthMax) return _URC_END_OF_STACK;
  if (!runtime_range().holds(address)) frames.push_back(place_of(address));
  return _URC_NO_REASON;
}

}  // namespace

std::vector<Place> running_stack() {
  std::vector<Place> frames;
  _Unwind_Backtrace(collect_frame, &frames);
  return frames;
}

void note_stack(Thread& thread) {
  if (scheduler().director().records_places()) thread.stack = running_stack();
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

void record_event(Thread& thread, std::uint64_t value, std::uint64_t operand, Outcome outcome) {
  Trace& trace = current_trace();
  Event event;
  event.object = thread.object;
  event.value = value;
  event.operand = operand;
  event.code = thread.code;
  event.index = thread.events;
  event.thread = thread.id;
  event.operation = thread.operation;
  event.outcome = outcome;
  event.size = thread.size;
  trace.events.push_back(event);
  if (!scheduler().director().records_places()) return;
  trace.places.push_back({place_of(event.object), place_of(value), place_of(operand), thread.stack});
}

}  // namespace thrum
