// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An event: one operation that a thread did. docs/semantics.md, "Events and scheduling points".
#pragma once

#include <cstdint>
#include <string_view>

#include "model/thread_names.hpp"

namespace thrum {

enum class Operation : std::uint8_t {
  // Memory. Each operation from here to lock_destroy accesses its object and nothing else (dependent()).
  load,
  store,
  read_modify_write,
  compare_exchange,
  fence,
  // Plain accesses are not visible operations. Those that a failure names stand in its trace.
  plain_load,
  plain_store,
  deallocate,
  // Plain accesses whose race is known; they are visible operations (`--races explore`).
  racy_load,
  racy_store,
  racy_free,
  // Mutexes, and the writer's side of read-write locks.
  lock,
  try_lock,
  unlock,
  shared_lock,
  try_shared_lock,
  shared_unlock,
  lock_queue,    // from here on a writer goes before readers
  lock_destroy,  // fails if the lock is held
  // Condition variables. A wait is two events, with a third one between them if it times out.
  wait_release,
  wait_reacquire,
  signal,
  broadcast,
  spurious_wake,  // between the two events of a wait, like a timeout
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
  signal_send,     // it becomes pending; operand: the thread (by its stack), or 0: the process
  signal_handle,   // a handler begins, or ends its thread's wait; value: the signal
  fault,           // a handler begins for a fault of its own thread; value: the signal
  signal_accept,   // sigwait and the like accept one; value: the signal
  signal_wait,     // sigsuspend and pause: from now on a handler may end the wait
  signal_pending,  // sigpending
  signal_mask,
  signal_action,
  timer_set,
  timer_read,
  timer_expire,
  // Cancellation. value: the thread that is cancelled.
  cancel,
  cancel_setting,  // the thread's own state or type
  cancel_test,
  cancelled,  // the thread begins to unwind
  // Choices and marks of the program itself.
  choose,
  point,
  atomic_section,
  invariant,  // a check of an invariant: it reads memory as it is between any two steps of other threads
  // Threads. Creation, start, end and join are not visible operations: no scheduling point stands before
  // them. The same holds for others_ended: all other threads have ended, and this one ends the process.
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

// The operation's name in reports and trace files, such as "lock" or "atomic load".
std::string_view operation_name(Operation operation);

// The operation of that name; the value after process_exit if there is none.
Operation operation_from_name(std::string_view name);

// Whether the operation has a scheduling point before it.
bool is_visible(Operation operation);

// Whether the operation is one on a synchronization object, which counts as an atomic write of its first
// bytes: nobody may free, destroy or write these without order (docs/semantics.md, "Data races").
bool uses_object(Operation operation);

// Whether the operation may have to wait for another thread.
bool may_have_to_wait(Operation operation);

// The outcome of an event that can end in more than one way.
enum class Outcome : std::uint8_t {
  done,
  failed,  // a try-lock, compare-exchange or try-wait that did not succeed
  timed_out,
  unchanged,  // a read-modify-write that did not change the value
};

// How a read-modify-write combines the value that it reads with its argument.
enum class Update : std::uint8_t { exchange, add, subtract, bit_and, bit_or, bit_xor, bit_nand };

struct Event {
  std::uint64_t object = 0;  // address of what it accesses (toy programs: number of the variable); 0: nothing
  std::uint64_t value = 0;   // what it read, received or overwrote
  // What it wrote; of a wait: the mutex (object is the condition variable); of a cancel: 1 if the thread may
  // be cancelled anywhere; of a once: 1 if its initialisation is over, 0 if it failed; of an unlock: 1 if the
  // owner of a robust mutex has ended; of an arrival at a barrier: 1 if it is the last one; of a timeout: the
  // number of the operation that waited; of a futex wake: how many it wakes at most.
  std::uint64_t operand = 0;
  // Of a read-modify-write; of a compare-exchange: the expected value; of a thread's creation or join: the
  // thread; of an operation that wakes one of several threads: that thread, counted from 1.
  std::uint64_t argument = 0;
  std::uint64_t code = 0;   // the address behind the call
  std::uint32_t index = 0;  // counts the thread's events from 0
  ThreadId thread = kMainThread;
  Operation operation = Operation::load;
  Outcome outcome = Outcome::done;
  std::uint32_t size = 0;  // bytes accessed from object on; 0: a synchronization object as a whole
  // The step (a signal, a futex wake) that ended the wait before this event, counted from 1 in the execution;
  // 0: none.
  std::uint32_t woken_by = 0;
  Update update = Update::exchange;  // of a read-modify-write
  bool timed = false;                // its wait could have timed out while other threads were enabled
  bool has_deadline = false;         // or could time out at all, be it when no thread was enabled
  bool forced = false;               // its thread went on in a waiting loop when no thread was enabled
  std::uint8_t focus = 0;            // bits of kFocus...; 0 unless priorities need them
  // Of an atomic operation or a fence: what it orders, as in C++. All are sequentially consistent here, but
  // not for data races.
  bool acquires = true;
  bool releases = true;

  friend bool operator==(const Event&, const Event&) = default;
};

// The parts that the user has put in focus (--focus-method, --focus-var).
inline constexpr std::uint8_t kFocusMethod = 1;    // its thread was in a function, anywhere on the stack
inline constexpr std::uint8_t kFocusVariable = 2;  // it accessed a variable

// Whether the event only reads its object: a load, or an operation that failed or changed nothing.
bool is_read(const Event& event);

// The outcome of an atomic operation on an integer of event.size bytes if it had read another value.
Outcome outcome_on(const Event& event, std::uint64_t value);

// Whether the event may have changed a byte of [object, object + size).
bool changes(const Event& event, std::uint64_t object, std::uint32_t size);

// dependent() by the table alone. REQUIRES: the events are of two threads
bool dependent_by_table(const Event& a, const Event& b);

// Whether it depends on another such operation of another thread only if both access a common byte.
constexpr bool is_simple(Operation operation) { return operation <= Operation::lock_destroy; }

// Whether the order of two events of one trace matters: the one table of dependence (docs/semantics.md,
// "Classes and states"). Symmetric. Events of one thread depend on each other. Most pairs are decided without
// the table: both access one object each, and these differ; or both are atomic operations on one object.
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

// Whether each event that depends on b, and accesses only its object, depends on a as well: both access the
// same bytes, and nothing commutes with a.
inline bool covers(const Event& a, const Event& b) {
  if (a.object != b.object || a.size != b.size || !is_simple(a.operation) || !is_simple(b.operation))
    return false;
  Event other = a;
  other.thread = a.thread == kMainThread ? ThreadId{1} : kMainThread;
  return dependent(a, other);
}

}  // namespace thrum
