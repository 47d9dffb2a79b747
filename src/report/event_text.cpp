// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by text_report_test.cpp.
#include "report/event_text.hpp"

#include <fmt/format.h>

#include "model/signal_name.hpp"

namespace thrum {

namespace {

// Small negative numbers come as large ones of their size.
std::string number_text(std::uint64_t value, std::uint32_t size) {
  constexpr std::uint64_t kSmall = 1 << 16;
  constexpr std::uint64_t kDecimalMax = std::uint64_t{1} << 40;
  std::uint64_t mask = size == 0 || size >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * size)) - 1;
  std::uint64_t negated = (~value + 1) & mask;
  if (size > 1 && negated != 0 && negated < kSmall && (value & mask) > mask / 2)
    return fmt::format("-{}", negated);
  return value < kDecimalMax ? fmt::format("{}", value) : fmt::format("{:#x}", value);
}

std::string value_text(const TraceFile& file, std::uint64_t value, const Place& place, std::uint32_t size) {
  switch (place.space) {
    case Place::Space::none: return number_text(value, size);
    case Place::Space::heap:
    case Place::Space::other: return file.place_name(place);
    case Place::Space::module:
    case Place::Space::stack: break;
  }
  return "&" + file.pointee_name(place);
}

std::string object_text(const TraceFile& file, const Place& place, std::uint64_t number) {
  if (place.space != Place::Space::none) return file.place_name(place);
  return number == 0 ? "" : fmt::format("object {}", number);
}

// Their object is the state of all signals, which no name helps with.
bool is_about_signals(Operation operation) {
  switch (operation) {
    case Operation::signal_send:
    case Operation::signal_handle:
    case Operation::fault:
    case Operation::signal_accept:
    case Operation::signal_wait:
    case Operation::signal_pending:
    case Operation::signal_mask:
    case Operation::signal_action:
    case Operation::timer_set:
    case Operation::timer_read:
    case Operation::timer_expire: return true;
    default: return false;
  }
}

// What keeps a thread from an operation, in words. holder: who has the object; may be empty.
std::string waits_for(Operation operation, const std::string& object, const std::string& holder) {
  switch (operation) {
    case Operation::thread_join:
    case Operation::try_join: return "waits for " + (holder.empty() ? "a thread" : holder) + " to end";
    case Operation::wait_reacquire: return "waits to be woken on " + object;
    case Operation::futex_return: return "waits for a wake-up on " + object;
    case Operation::barrier_leave: return "waits for others at " + object;
    case Operation::load:
    case Operation::plain_load:
    case Operation::racy_load:
    case Operation::read_modify_write:
    case Operation::compare_exchange: return "waits in a loop for a change of " + object;
    case Operation::sleep: return "sleeps";
    case Operation::yield: return "yields";
    case Operation::signal_handle:
    case Operation::signal_accept:
    case Operation::signal_wait: return "waits for a signal";
    default: break;
  }
  std::string text = "waits: " + std::string(operation_name(operation));
  if (!object.empty()) text += " " + object;
  return holder.empty() ? text : text + ", held by " + holder;
}

// An operation that was not done.
std::string intended_text(Operation operation, const std::string& object) {
  std::string text(operation_name(operation));
  switch (operation) {
    case Operation::load:
    case Operation::plain_load:
    case Operation::racy_load: text = "read"; break;
    case Operation::store:
    case Operation::plain_store:
    case Operation::racy_store: text = "write"; break;
    case Operation::racy_free: text = "free"; break;
    case Operation::read_modify_write:
    case Operation::compare_exchange: text = "update"; break;
    case Operation::atomic_section:
    case Operation::invariant: return text;
    default: break;
  }
  return object.empty() || is_about_signals(operation) ? text : text + " " + object;
}

// Operations whose name alone says what they did to their object.
std::string plain_text(const Event& event, const std::string& object) {
  std::string text(operation_name(event.operation));
  if (!object.empty()) text += " " + object;
  if (event.outcome == Outcome::failed) text += " fails";
  if (event.outcome == Outcome::timed_out) text += " times out";
  bool wakes = event.operation == Operation::signal || event.operation == Operation::broadcast ||
               event.operation == Operation::futex_wake;
  if (wakes) text += event.value == 0 ? " (nobody waits)" : fmt::format(" (wakes {})", event.value);
  return text;
}

std::string signal_text(const TraceFile& file, const Event& event, const EventPlaces& places) {
  std::string signal = signal_name(static_cast<int>(event.value));
  switch (event.operation) {
    case Operation::signal_send:
      return fmt::format("sends {} to {}", signal,
                         event.operand == 0 ? "the process" : thread_text(file, places.operand));
    case Operation::signal_handle:
    case Operation::fault: return fmt::format("handles {}", signal);
    case Operation::signal_accept:
      return event.outcome == Outcome::failed ? "finds no signal" : fmt::format("accepts {}", signal);
    case Operation::signal_action: return fmt::format("sets what {} does", signal);
    case Operation::timer_expire:
      return event.value == 0 ? "timer expires" : fmt::format("timer expires: {}", signal);
    default: return std::string(operation_name(event.operation));
  }
}

}  // namespace

const EventPlaces& places_of(const TraceFile& file, std::size_t event) {
  static const EventPlaces kNone;
  return event < file.trace.details.places.size() ? file.trace.details.places[event] : kNone;
}

std::string thread_text(const TraceFile& file, const Place& stack) {
  return stack.space == Place::Space::stack ? file.names.name(stack.owner) : "a thread";
}

std::string operation_text(const TraceFile& file, std::size_t i) {
  const Event& event = file.trace.events[i];
  const EventPlaces& places = places_of(file, i);
  if (is_about_signals(event.operation)) return signal_text(file, event, places);
  std::string object = object_text(file, places.object, event.object);
  std::string read = value_text(file, event.value, places.value, event.size);
  bool names_mutex =
      event.operation == Operation::wait_release || event.operation == Operation::wait_reacquire;
  std::string wrote = names_mutex ? object_text(file, places.operand, event.operand)
                                  : value_text(file, event.operand, places.operand, event.size);
  switch (event.operation) {
    case Operation::load:
    case Operation::racy_load: return fmt::format("{} -> {}", object, read);
    case Operation::plain_load: return "reads " + object;
    case Operation::store: return fmt::format("{} = {}", object, wrote);
    case Operation::plain_store:
    case Operation::racy_store: return "writes " + object;
    case Operation::deallocate:
    case Operation::racy_free: return "frees " + object;
    case Operation::read_modify_write: return fmt::format("{}: {} -> {}", object, read, wrote);
    case Operation::compare_exchange:
      if (event.outcome == Outcome::failed)
        return fmt::format("{} -> {}, so it does not become {}", object, read, wrote);
      return fmt::format("{}: {} -> {} (compare-exchange)", object, read, wrote);
    case Operation::atomic_section:
    case Operation::invariant: return std::string(operation_name(event.operation));
    case Operation::cancel: return "cancels " + thread_text(file, places.object);
    case Operation::cancel_setting:
    case Operation::cancel_test:
    case Operation::cancelled: return std::string(operation_name(event.operation));
    case Operation::thread_create: return "creates " + thread_text(file, places.object);
    case Operation::thread_join: return "joins " + thread_text(file, places.object);
    case Operation::others_ended: return "all other threads have ended";
    case Operation::detach: return "detaches " + thread_text(file, places.object);
    case Operation::thread_end: return "ends";
    case Operation::wait_release: return fmt::format("wait {}, unlock {}", object, wrote);
    case Operation::wait_reacquire: return fmt::format("woken on {}, lock {}", object, wrote);
    case Operation::choose:
    case Operation::clock_read: return fmt::format("{} -> {}", operation_name(event.operation), read);
    default: return plain_text(event, object);
  }
}

std::string named_operation_text(const TraceFile& file, std::size_t i) {
  const Event& event = file.trace.events[i];
  const EventPlaces& places = places_of(file, i);
  const std::string object = object_text(file, places.object, event.object);
  const std::string read = value_text(file, event.value, places.value, event.size);
  switch (event.operation) {
    case Operation::load:
    case Operation::racy_load: return fmt::format("load {} = {}", object, read);
    case Operation::store: return "store " + operation_text(file, i);
    case Operation::compare_exchange:
      if (event.outcome == Outcome::failed)
        return fmt::format("compare-exchange {} = {} fails", object, read);
      return fmt::format("compare-exchange {}: {} -> {}", object, read,
                         value_text(file, event.operand, places.operand, event.size));
    default: return operation_text(file, i);
  }
}

bool may_block(Operation operation) {
  switch (operation) {
    case Operation::store:
    case Operation::plain_store:
    case Operation::racy_store:
    case Operation::racy_free:
    case Operation::deallocate:
    case Operation::fence:
    case Operation::unlock:
    case Operation::shared_unlock:
    case Operation::lock_queue:
    case Operation::lock_destroy:
    case Operation::wait_release:
    case Operation::signal:
    case Operation::broadcast:
    case Operation::semaphore_post:
    case Operation::once_leave:
    case Operation::futex_wake:
    case Operation::random_draw:
    case Operation::yield:
    case Operation::choose:
    case Operation::point:
    case Operation::atomic_section:
    case Operation::invariant:
    case Operation::process_exit: return false;
    default: return true;
  }
}

std::string wait_text(const TraceFile& file, std::size_t i) {
  const Event& event = file.trace.events[i];
  const EventPlaces& places = places_of(file, i);
  if (event.operation == Operation::thread_join || event.operation == Operation::try_join)
    return waits_for(event.operation, "", thread_text(file, places.object));
  bool told = event.operation == Operation::cancel || event.operation == Operation::signal_send;
  if (told) return "waits: " + operation_text(file, i);
  return waits_for(event.operation, object_text(file, places.object, event.object), "");
}

std::string waiter_text(const TraceFile& file, const Waiter& waiter, const EventPlaces& places) {
  std::string holder = waiter.holder == kNoThread       ? ""
                       : waiter.holder == waiter.thread ? "itself"
                                                        : file.names.name(waiter.holder);
  std::string object = object_text(file, places.object, waiter.object);
  if (waiter.ready) {
    return "was about to: " + intended_text(waiter.operation, object);
  }
  std::string text = waits_for(waiter.operation, object, holder);
  if (waiter.spinning && !text.starts_with("waits in a loop")) text += ", in a loop that nothing ends";
  return text;
}

std::string failure_title(const Failure& failure) {
  std::string_view kind = bug_kind_name(failure.kind);
  std::string message;
  for (char c : failure.message) {
    bool space = c == ' ' || c == '\n' || c == '\t';
    if (!space) message += c;
    if (space && !message.empty() && message.back() != ' ') message += ' ';
  }
  return message.starts_with(kind) ? message : fmt::format("{}: {}", kind, message);
}

}  // namespace thrum
