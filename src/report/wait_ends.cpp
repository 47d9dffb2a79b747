// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by text_report_test.cpp.
#include "report/wait_ends.hpp"

#include "report/event_text.hpp"

namespace thrum {

namespace {

// Whether an event lets threads go on that wait for its object to be free, posted, passed or written.
bool releases(const Event& event) {
  switch (event.operation) {
    case Operation::unlock:
    case Operation::shared_unlock:
    case Operation::semaphore_post:
    case Operation::signal:
    case Operation::broadcast:
    case Operation::futex_wake:
    case Operation::barrier_wait:
    case Operation::once_leave:
    case Operation::store:
    case Operation::plain_store:
    case Operation::read_modify_write:
    case Operation::compare_exchange: return !is_read(event);
    default: return false;
  }
}

bool waits_on_thread(Operation operation) {
  return operation == Operation::thread_join || operation == Operation::try_join;
}

}  // namespace

ObjectName object_name(const Place& place, std::uint64_t number) {
  if (place.space == Place::Space::none) return {place, number};
  Place lasting = place;
  if (lasting.space == Place::Space::stack) lasting.number = 0;
  return {lasting, 0};
}

std::optional<std::size_t> wait_ended_by(const TraceFile& file, std::size_t from, std::size_t event) {
  const Event& waited = file.trace.events[event];
  const EventPlaces& places = places_of(file, event);
  ObjectName object = object_name(places.object, waited.object);
  ObjectName mutex = object_name(places.operand, waited.operand);
  bool is_woken = waited.operation == Operation::wait_reacquire;
  for (std::size_t i = event; i-- > from + 1;) {
    const Event& other = file.trace.events[i];
    if (other.thread == waited.thread) continue;
    if (waits_on_thread(waited.operation)) {
      bool ended = other.operation == Operation::thread_end && places.object.space == Place::Space::stack &&
                   other.thread == places.object.owner;
      if (ended) return i;
      continue;
    }
    if (waited.operation == Operation::signal_handle || waited.operation == Operation::signal_accept) {
      if (other.operation == Operation::signal_send) return i;
      continue;
    }
    const EventPlaces& its = places_of(file, i);
    ObjectName touched = object_name(its.object, other.object);
    bool gives_mutex_up = other.operation == Operation::wait_release &&
                          object_name(its.operand, other.operand) == (is_woken ? mutex : object);
    if (gives_mutex_up) return i;
    if (releases(other) && (touched == object || (is_woken && touched == mutex))) return i;
  }
  return std::nullopt;
}

}  // namespace thrum
