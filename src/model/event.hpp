// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An event: one operation that a thread did. docs/semantics.md, "Events and scheduling points".
#pragma once

#include <cstdint>
#include <string_view>

#include "model/thread_names.hpp"

namespace thrum {

enum class Operation : std::uint8_t {
  // Memory; from here to lock_destroy each operation touches its object and nothing else (dependent()).
  load,
  store,
  read_modify_write,
  compare_exchange,
  fence,
  // Plain accesses are no visible operations; those that a failure tells of stand in its trace.
  plain_load,
  plain_store,
  deallocate,
  // Those whose race is known are visible operations (`--races explore`).
  racy_load,
  racy_store,
  racy_free,
  // Mutexes, also the writer's side of a read-write lock.
  lock,
  try_lock,
  unlock,
  shared_lock,
  try_shared_lock,
  shared_unlock,
  lock_queue,    // a writer goes before readers from here on
  lock_destroy,  // fails where it is held
  // Condition variables: a wait is two events, with a third between them where it ends by its timeout.
  wait_release,
  wait_reacquire,
  signal,
  broadcast,
  spurious_wake,  // between the two events of a wait, as a timeout
  // Semaphores, barriers, once and static guards.
  semaphore_wait,
  semaphore_try_wait,
  semaphore_post,
  barrier_wait,
  barrier_leave,
  once_enter,
  once_leave,
  // Futexes.
  futex_wait,
  futex_return,
  futex_wake,
  // Random numbers that threads share.
  random_draw,
  // Time.
  clock_read,
  sleep,
  timeout,
  yield,
  // Signals and timers.
  signal_send,     // it is pending from now on; operand: the thread (by its stack) or 0, the process
  signal_handle,   // a handler begins, or its thread's wait ends by it; value: the signal
  fault,           // a handler begins for a fault of its thread's own; value: the signal
  signal_accept,   // sigwait and its like take one; value: the signal
  signal_wait,     // sigsuspend and pause: from now on a handler may end the wait
  signal_pending,  // sigpending
  signal_mask,
  signal_action,
  timer_set,
  timer_read,
  timer_expire,
  // Cancellation: value is the thread cancelled.
  cancel,
  cancel_setting,  // the thread's own state or type
  cancel_test,
  cancelled,  // the thread begins to unwind
  // Choices and marks of the program's own.
  choose,
  point,
  atomic_section,
  // Threads. Creation, start, end and join are no visible operations: no scheduling point stands before them.
  // Nor does one stand before others_ended: all other threads have ended, and this one ends the process.
  thread_create,
  thread_start,
  thread_end,
  thread_join,
  others_ended,
  try_join,
  detach,
  process_exit,
};
inline constexpr int kOperationCount = static_cast<int>(Operation::process_exit) + 1;

// The operation's name in reports and trace files, such as "mutex lock" or "atomic load".
std::string_view operation_name(Operation operation);

// The operation of that name; process_exit's successor (an invalid value) where there is none.
Operation operation_from_name(std::string_view name);

// Whether the operation has a scheduling point before it.
bool is_visible(Operation operation);

// How an event ended, where it can end in more than one way.
enum class Outcome : std::uint8_t {
  done,
  failed,  // a try-lock, a compare-exchange, a try-wait that did not succeed
  timed_out,
  unchanged,  // a read-modify-write that left the value as it was
};

// What a read-modify-write makes of the value that it reads, and of its argument.
enum class Update : std::uint8_t { exchange, add, subtract, bit_and, bit_or, bit_xor, bit_nand };

struct Event {
  std::uint64_t object = 0;  // address of what it touched (toy programs: the variable's number); 0: nothing
  std::uint64_t value = 0;   // what it read, or received, or overwrote
  // What it wrote; of a wait: the mutex (object is the condition variable); of a cancel: 1 where the thread
  // may be cancelled anywhere.
  std::uint64_t operand = 0;
  // Of a read-modify-write; of a compare-exchange: what it compares with; of a thread's creation or join: the
  // thread; of what wakes one of several: that thread, counted from 1.
  std::uint64_t argument = 0;
  std::uint64_t code = 0;   // the code address behind the call
  std::uint32_t index = 0;  // counts the thread's events from 0
  ThreadId thread = kMainThread;
  Operation operation = Operation::load;
  Outcome outcome = Outcome::done;
  std::uint32_t size = 0;  // bytes touched from object on; 0: a synchronization object as a whole
  // The step that ended the wait behind which this event stands (a signal, a futex wake), counted from 1
  // among the execution's; 0: none.
  std::uint32_t woken_by = 0;
  Update update = Update::exchange;  // of a read-modify-write
  bool timed = false;                // its wait could have ended by time though others could go on
  bool forced = false;               // its thread went on in a waiting loop when nobody could go on
  std::uint8_t focus = 0;            // bits of kFocus...; 0 where no priority asks for them

  friend bool operator==(const Event&, const Event&) = default;
};

// What the user has put in focus (--focus-method, --focus-var).
inline constexpr std::uint8_t kFocusMethod = 1;    // its thread was in a function, anywhere on the stack
inline constexpr std::uint8_t kFocusVariable = 2;  // it touched a variable

// Whether the event only reads its object: a load, or an operation that failed or left everything as it was.
bool is_read(const Event& event);

// How an atomic operation on an integer of event.size bytes would end if it read another value.
Outcome outcome_on(const Event& event, std::uint64_t value);

// Whether the event may have changed a byte of [object, object + size).
bool changes(const Event& event, std::uint64_t object, std::uint32_t size);

// dependent() by the table alone. REQUIRES: two threads
bool dependent_by_table(const Event& a, const Event& b);

// Whether it depends on no other such operation of another thread but by the bytes that both touch.
constexpr bool is_simple(Operation operation) { return operation <= Operation::lock_destroy; }

// Whether the order of two events of one trace matters: the one table of dependence (docs/semantics.md,
// "Classes and states"). Symmetric. Events of one thread depend on each other. Most pairs are told apart
// without the table: both touch one object, and those are different; or both are atomic operations on one.
inline bool dependent(const Event& a, const Event& b) {
  if (a.thread == b.thread) return true;
  const std::uint64_t a_end = a.object + (a.size != 0 ? a.size : 1);
  const std::uint64_t b_end = b.object + (b.size != 0 ? b.size : 1);
  if (is_simple(a.operation) && is_simple(b.operation) && (a_end <= b.object || b_end <= a.object))
    return false;
  auto reads = [](const Event& event) {
    return event.operation == Operation::load || event.outcome == Outcome::failed ||
           event.outcome == Outcome::unchanged;
  };
  const bool are_atomic =
      a.operation <= Operation::compare_exchange && b.operation <= Operation::compare_exchange;
  if (are_atomic) return !(reads(a) && reads(b));
  return dependent_by_table(a, b);
}

// Whether an event that depends on b and touches nothing but its object depends on a as well: both touch the
// same, and nothing commutes with a.
inline bool covers(const Event& a, const Event& b) {
  if (a.object != b.object || a.size != b.size || !is_simple(a.operation) || !is_simple(b.operation))
    return false;
  Event other = a;
  other.thread = a.thread == kMainThread ? ThreadId{1} : kMainThread;
  return dependent(a, other);
}

}  // namespace thrum
