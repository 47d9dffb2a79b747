// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/event.hpp"

#include <array>

namespace thrum {

namespace {

// How an operation accesses its object, as far as its order against other operations on the object matters.
enum class Effect : std::uint8_t {
  none,     // accesses nothing that another operation sees
  read,     // commutes with reads
  write,    // commutes with nothing
  post,     // commutes with posts
  clock,    // reads the virtual clock: commutes with clock reads
  advance,  // a timeout: ends a wait and moves the clock
  timed,    // a write that reads the clock as well
  all,      // unknown accesses: commutes with nothing that accesses anything
};

struct Row {
  std::string_view name;
  Effect effect;
  bool visible;
};

constexpr std::array<Row, kOperationCount> kTable = {{
    {"atomic load", Effect::read, true},
    {"atomic store", Effect::write, true},
    {"atomic read-modify-write", Effect::write, true},
    {"atomic compare-exchange", Effect::write, true},
    {"fence", Effect::none, true},
    {"plain load", Effect::read, false},
    {"plain store", Effect::write, false},
    {"free", Effect::write, false},
    {"racy load", Effect::read, true},
    {"racy store", Effect::write, true},
    {"racy free", Effect::write, true},
    {"lock", Effect::write, true},
    {"try-lock", Effect::write, true},
    {"unlock", Effect::write, true},
    {"shared lock", Effect::write, true},
    {"shared try-lock", Effect::write, true},
    {"shared unlock", Effect::write, true},
    {"queue for lock", Effect::write, true},
    {"destroy lock", Effect::write, true},
    {"wait", Effect::write, true},
    {"wake and reacquire", Effect::write, true},
    {"signal", Effect::write, true},
    {"broadcast", Effect::write, true},
    {"spurious wake-up", Effect::write, true},
    {"semaphore wait", Effect::write, true},
    {"semaphore try-wait", Effect::write, true},
    {"semaphore post", Effect::post, true},
    {"barrier arrive", Effect::write, true},
    {"barrier leave", Effect::read, true},
    {"once enter", Effect::write, true},
    {"once leave", Effect::write, true},
    {"futex wait", Effect::write, true},
    {"futex return", Effect::read, true},
    {"futex wake", Effect::write, true},
    {"random draw", Effect::write, true},
    {"clock read", Effect::clock, true},
    {"sleep", Effect::clock, true},
    {"timeout", Effect::advance, true},
    {"yield", Effect::none, true},
    {"send signal", Effect::write, true},
    {"handle signal", Effect::write, true},
    {"handle fault", Effect::write, true},
    {"accept signal", Effect::write, true},
    {"wait for signal", Effect::write, true},
    {"read pending signals", Effect::read, true},
    {"set signal mask", Effect::write, true},
    {"set signal action", Effect::write, true},
    {"set timer", Effect::timed, true},
    {"read timer", Effect::timed, true},
    {"timer expires", Effect::advance, true},
    {"cancel", Effect::write, true},
    {"set cancellation", Effect::write, true},
    {"test for cancellation", Effect::read, true},
    {"is cancelled", Effect::read, true},
    {"choose", Effect::none, true},
    {"point", Effect::none, true},
    {"atomic section", Effect::all, true},
    {"invariant check", Effect::read, true},
    {"thread create", Effect::none, false},
    {"thread start", Effect::none, false},
    {"thread end", Effect::none, false},
    {"thread join", Effect::none, false},
    {"others ended", Effect::none, false},
    {"try-join", Effect::all, true},
    {"detach", Effect::all, true},
    {"process exit", Effect::write, true},
}};

const Row& row(Operation operation) { return kTable[static_cast<std::size_t>(operation)]; }

Effect effect(const Event& event) {
  if (event.outcome == Outcome::failed || event.outcome == Outcome::unchanged) return Effect::read;
  return row(event.operation).effect;
}

// Whether the event accesses some byte of [object, object + size). Synchronization objects are compared as
// wholes, by address.
bool touches(const Event& event, std::uint64_t object, std::uint32_t size) {
  std::uint64_t event_size = event.size ? event.size : 1;
  return event.object < object + (size ? size : 1) && object < event.object + event_size;
}

// A wait also releases and takes a mutex.
bool touches_mutex_too(const Event& event) {
  return event.operation == Operation::wait_release || event.operation == Operation::wait_reacquire;
}

bool overlap(const Event& a, const Event& b) {
  if (touches(a, b.object, b.size)) return true;
  if (touches_mutex_too(a) && touches(b, a.operand, 0)) return true;
  if (touches_mutex_too(b) && touches(a, b.operand, 0)) return true;
  return touches_mutex_too(a) && touches_mutex_too(b) && a.operand == b.operand;
}

// Whether a thread with a pending cancel may be cancelled there.
bool is_cancellation_point(Operation operation) {
  switch (operation) {
    case Operation::wait_release:
    case Operation::wait_reacquire:
    case Operation::semaphore_wait:
    case Operation::sleep:
    case Operation::signal_accept:
    case Operation::signal_wait:
    case Operation::cancel_setting:
    case Operation::cancel_test:
    case Operation::cancelled: return true;
    default: return false;
  }
}

// Whether `other` sees the cancel: the cancellation points of its thread, or everything that the thread does.
bool cancels(const Event& cancel, const Event& other) {
  return cancel.operation == Operation::cancel && cancel.value == other.thread &&
         (cancel.operand != 0 || is_cancellation_point(other.operation));
}

bool touches_all(const Event& event) { return row(event.operation).effect == Effect::all; }

bool reads_clock(Effect effect) { return effect == Effect::clock || effect == Effect::timed; }

}  // namespace

std::string_view operation_name(Operation operation) { return row(operation).name; }

Operation operation_from_name(std::string_view name) {
  int i = 0;
  while (i < kOperationCount && kTable[static_cast<std::size_t>(i)].name != name) ++i;
  return static_cast<Operation>(i);
}

namespace {

std::uint64_t updated(const Event& event, std::uint64_t value) {
  switch (event.update) {
    case Update::exchange: return event.argument;
    case Update::add: return value + event.argument;
    case Update::subtract: return value - event.argument;
    case Update::bit_and: return value & event.argument;
    case Update::bit_or: return value | event.argument;
    case Update::bit_xor: return value ^ event.argument;
    case Update::bit_nand: return ~(value & event.argument);
  }
  return value;
}

}  // namespace

Outcome outcome_on(const Event& event, std::uint64_t value) {
  const std::uint64_t mask = event.size < 8 ? (std::uint64_t{1} << 8 * event.size) - 1 : ~std::uint64_t{0};
  if (event.operation == Operation::compare_exchange) {
    if ((value & mask) != (event.argument & mask)) return Outcome::failed;
    return (event.operand & mask) == (value & mask) ? Outcome::unchanged : Outcome::done;
  }
  if (event.operation == Operation::read_modify_write)
    return (updated(event, value) & mask) == (value & mask) ? Outcome::unchanged : Outcome::done;
  return Outcome::done;
}

bool is_visible(Operation operation) { return row(operation).visible; }

bool uses_object(Operation operation) {
  switch (operation) {
    case Operation::lock:
    case Operation::try_lock:
    case Operation::unlock:
    case Operation::shared_lock:
    case Operation::try_shared_lock:
    case Operation::shared_unlock:
    case Operation::lock_queue:
    case Operation::lock_destroy:
    case Operation::wait_release:
    case Operation::signal:
    case Operation::broadcast:
    case Operation::semaphore_wait:
    case Operation::semaphore_try_wait:
    case Operation::semaphore_post:
    case Operation::barrier_wait:
    case Operation::barrier_leave: return true;
    default: return false;
  }
}

bool may_have_to_wait(Operation operation) {
  switch (operation) {
    case Operation::lock:
    case Operation::shared_lock:
    case Operation::wait_reacquire:
    case Operation::semaphore_wait:
    case Operation::barrier_leave:
    case Operation::once_enter:
    case Operation::futex_return: return true;
    case Operation::thread_create: return false;
    default: return !is_visible(operation);
  }
}

bool is_read(const Event& event) { return effect(event) == Effect::read; }

bool changes(const Event& event, std::uint64_t object, std::uint32_t size) {
  Effect kind = effect(event);
  if (kind == Effect::none || kind == Effect::read || kind == Effect::clock) return false;
  if (kind == Effect::all || kind == Effect::advance || touches(event, object, size)) return true;
  return touches_mutex_too(event) && object <= event.operand && event.operand < object + (size ? size : 1);
}

bool dependent_by_table(const Event& a, const Event& b) {
  // What a step writes plainly behind its event, a check of an invariant sees as well.
  const bool checks = a.operation == Operation::invariant;
  const bool other_checks = b.operation == Operation::invariant;
  if (checks || other_checks) return !(checks && other_checks);
  // The end of the process ends all threads, and a signal may come before anything that its thread does next.
  auto touches_every_thread = [](const Event& event) {
    return event.operation == Operation::process_exit || event.operation == Operation::signal_send;
  };
  if (touches_every_thread(a) || touches_every_thread(b)) return true;
  Effect x = effect(a);
  Effect y = effect(b);
  if (x == Effect::advance && (reads_clock(y) || y == Effect::advance)) return true;
  if (y == Effect::advance && reads_clock(x)) return true;
  if (cancels(a, b) || cancels(b, a)) return true;
  if (x == Effect::none || y == Effect::none) return false;
  if (touches_all(a) || touches_all(b)) return true;
  if (x == Effect::clock || y == Effect::clock) return false;
  if (x == Effect::read && y == Effect::read) return false;
  if (x == Effect::post && y == Effect::post) return false;
  return overlap(a, b);
}

}  // namespace thrum
