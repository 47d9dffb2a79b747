// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/threads/record.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "runtime/base/engine.hpp"
#include "runtime/base/long_waits.hpp"
#include "runtime/threads/focus.hpp"
#include "runtime/threads/hooks.hpp"
#include "runtime/threads/places.hpp"
#include "runtime/threads/stacks.hpp"

namespace thrum {

namespace {

// The event, counted from 1, whose value is not read yet; 0: none.
constinit std::size_t g_awaited = 0;

}  // namespace

void await_written_value() { g_awaited = current_trace().events.size(); }

void take_written_value() {
  if (g_awaited == 0) return;
  Trace& trace = current_trace();
  const std::size_t i = std::exchange(g_awaited, 0) - 1;
  if (i >= trace.events.size()) return;
  Event& event = trace.events[i];
  event.operand = value_at(reinterpret_cast<const void*>(event.object), event.size);
  if (i < trace.details.places.size()) trace.details.places[i].operand = described_place(event.operand);
}

void give_up_written_value() { g_awaited = 0; }

void note_stack(Thread& thread) {
  take_written_value();  // before others write there
  if (focus().is_on_code()) thread.focus = focus().of_running_stack();
  if (!engine.records_places) return;
  thread.frames = running_frames();
  thread.stack = places_of(thread.frames);
}

void record_access(const Thread& thread, Operation operation, bool writes, std::uint64_t address,
                   std::uint64_t size) {
  RecordedAccess& access = current_trace().accesses.emplace_back();
  access.event = static_cast<std::uint32_t>(current_trace().events.size());
  access.thread = thread.id;
  access.operation = operation;
  access.writes = writes;
  access.in_section = thread.atomic_depth != 0;
  access.size = static_cast<std::uint32_t>(size);
  access.object = address;
}

void record_order(int order) {
  // In an atomic section nothing is an event.
  if (running_thread().atomic_depth != 0 || current_trace().events.empty()) return;
  Event& event = current_trace().events.back();
  event.acquires = order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
  event.releases = order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

void record_in_section(const Thread& me, bool changes, std::uint64_t value) {
  if (engine.records_values && note_values_in_section(me, changes, value)) return;
  record_access(me, me.operation, changes, me.object, me.size);
}

void record_event(Thread& thread, std::uint64_t value, std::uint64_t operand, Outcome outcome) {
  take_written_value();
  if (engine.records_values) note_values_before_event(thread);
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
  event.has_deadline = thread.has_deadline;
  if (focus().is_on()) event.focus = thread.focus | focus().of_object(event.object, event.size);
  event.forced = thread.forced;
  thread.has_deadline = thread.forced = false;
  if (!engine.records_places) return;
  trace.details.places.push_back(
      {described_place(event.object), described_place(value), described_place(operand), thread.stack});
}

void note_in_trace(Operation operation, const Thread& other, std::uint64_t code) {
  if (!world.recording) return;
  Thread& me = running_thread();
  me.operation = operation;
  me.object = object_of(other);
  me.size = 0;
  me.code = code;
  note_stack(me);
  me.operation_argument = other.id;
  record_event(me, 0, 0, Outcome::done);
}

}  // namespace thrum
