// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread of the program, and its frames, as plain data in the machine's part of the memory: so the undo log
// covers them like everything else.
#pragma once

#include <cstdint>

#include "model/event.hpp"
#include "vm/address_space.hpp"
#include "vm/code.hpp"

namespace thrum::vm {

// What stands for the clock, and for the C library's random numbers, in events; no addresses of the program.
inline constexpr std::uint64_t kClockObject = 1;
inline constexpr std::uint64_t kRandomObject = 3;
// The same for all signals and timers: the native engine's number.
inline constexpr std::uint64_t kSignalObject = 3;

// What the machine does when a frame's function returns.
enum class Then : std::uint8_t {
  go_on,    // the caller goes on
  call,     // the call that is running in the frame below goes on, in its next phase (Call)
  thread,   // the thread's function has returned: it ends
  handler,  // the handler of a signal has returned (signal_delivery.cpp)
  check,    // an invariant was evaluated (invariants.cpp)
};

// One function that runs. Its registers lie in the thread's register stack.
struct Frame {
  Function* function = nullptr;
  const Instruction* next = nullptr;  // where it goes on
  std::uint64_t* registers = nullptr;
  std::uint64_t stack_pointer = 0;  // of the program's stack
  std::uint64_t stack_begin = 0;    // stack_pointer when it was entered
  const CallSite* site = nullptr;   // the call that made it; nullptr: the machine
  Then then = Then::go_on;
  // Then::call: the phase of the call below, and what it keeps.
  std::uint32_t phase = 0;
  std::uint64_t kept[6] = {};
};

// The condition for a thread's pending operation.
enum class Wait : std::uint8_t {
  nothing,
  lock,          // the mutex or read-write lock is free
  shared_lock,   // no writer holds it or, if it prefers writers, waits for it
  spin_lock,     // the spin lock is free
  semaphore,     // the count is not zero
  once,          // no thread is in the middle of it
  guard,         // the same of a static guard
  wakeup,        // a thread wakes it, or its deadline passes
  deadline,      // its deadline passes
  join,          // the thread in `joined` ends; not before a visible operation
  ended,         // the same before a visible operation; or its deadline passes
  signal,        // a signal of the set in `signals` is pending
  handlers,      // it has handled all signals that were sent to it and that it does not block
  spin,          // something that its waiting loop read is written, or has another value
  nothing_more,  // a round of its loop came to nothing: it does no more in this execution
};

enum class Life : std::uint8_t {
  unused,
  standing,   // before a visible operation, its pending one
  unsettled,  // in the middle of a stretch without visible operations
  ended,
};

// The pending operation of a thread.
struct Standing {
  Wait wait = Wait::nothing;
  Wait needs = Wait::nothing;  // what its operation takes if that is free, be it by a wait or an attempt
  Operation operation = Operation::thread_start;
  Update update = Update::exchange;
  bool woken = false;
  bool timed = false;
  bool timed_out = false;
  bool woken_spuriously = false;
  bool has_deadline = false;
  bool forced = false;        // nothing was enabled, and it goes on by no choice
  bool interrupted = false;   // it goes on because the handler of a signal has run
  bool signal_first = false;  // the signal that it handles came before its wait began
  bool in_kernel = false;     // its wait has begun: no signal can come before that
  bool at_cancellation_point = false;
  bool cancelled = false;  // it goes on because it is at a cancellation point and is cancelled
  std::uint32_t size = 0;
  std::uint32_t joined = 0;  // slot
  std::uint32_t woken_by = 0;
  std::uint64_t object = 0;
  std::uint64_t code = 0;
  std::uint64_t lock = 0;  // the mutex to lock again after a condition wait
  std::uint64_t wait_order = 0;
  std::uint64_t deadline_ns = 0;
  std::uint64_t length_ns = 0;
  std::uint64_t argument = 0;  // Event::argument
  std::uint64_t signals = 0;   // Wait::signal
};

// Whether and where a thread can be cancelled.
struct Cancellation {
  bool pending = false;       // a thread has cancelled it
  bool disabled = false;      // pthread_setcancelstate
  bool asynchronous = false;  // pthread_setcanceltype
  std::uint64_t cleanup = 0;  // the innermost of C's cleanup buffers (external_jumps.cpp)

  bool acts() const { return pending && !disabled; }
};

struct Thread : Standing {
  static constexpr std::uint32_t kKeysMax = 1024;
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  Frame* top = nullptr;
  Frame* bottom = nullptr;
  Frame* unsaved = nullptr;  // frames below it have not changed since the last mark, and are not in the log
  ThreadId id = kMainThread;
  ThreadId id_in_order = kMainThread;  // that it has where ids do not come again (Machine::keeps_order)
  std::uint16_t slot = 0;
  std::uint16_t number = 0;  // counts the threads of the execution
  Life life = Life::unused;
  bool detached = false;
  bool joined_by_someone = false;
  bool released = false;
  bool returns_int = false;
  bool is_timer = false;    // no thread of the program: it sleeps, and then sends a signal (timers.hpp)
  bool is_checker = false;  // of an invariant (invariants.cpp)
  std::uint8_t fault = 0;   // the signal of a fault that it has caused, and handles next
  std::uint64_t fault_address = 0;
  std::uint32_t handlers = 0;  // that run, one above the other
  std::uint32_t events = 0;
  std::uint32_t children = 0;
  std::uint32_t random_draws = 0;
  std::uint32_t atomic_depth = 0;
  std::uint32_t locks = 0;     // that it holds
  std::uint32_t left_out = 0;  // accesses that are not judged: begins of reads, of writes in the upper half
  std::uint64_t others_when_spurious = kNever;
  std::uint64_t result = 0;
  // The call of a function of the machine that is not over: its phase, counted from 0, and what it keeps from
  // one phase to the next.
  std::uint32_t phase = 0;
  bool in_call = false;  // the instruction before its next one is such a call
  std::uint64_t kept[6] = {};
  // Uses of thread-local objects' destructors, newest last, and of pthread_setspecific; in the thread's own
  // memory.
  std::uint32_t destructors = 0;
  std::uint32_t keys_used = 0;  // keys below it may have a value
  std::uint32_t key_round = 0;  // of destructors at its end
  std::uint32_t next_key = 0;
  Cancellation cancellation;
  std::uint64_t stack_size = kStackSize;
  std::uint64_t own_stack_end =
      0;  // of a stack in memory that the program gave; 0: the stack is the machine's
  std::uint64_t alternate_begin = 0;  // of the stack on which a signal's handler runs; 0: on the thread's own
  std::uint64_t guard_size = 4096;    // as it was asked for; what lies below a stack is never in use
  std::uint64_t affinity = 0;         // processors that it was told to run on; 0: all
  int rounding = 0;                   // of its floating-point operations, as fegetround() has it
  std::uint64_t exit_result = 0;      // of pthread_exit
  // The instruction at which it is.
  const Instruction* where() const { return in_call ? top->next - 1 : top->next; }

  std::uint64_t stack_end() const {
    return own_stack_end != 0 ? own_stack_end : thread_part(slot) + kStackEnd;
  }
  std::uint64_t stack_limit() const { return stack_end() - stack_size; }
  // Below it there is no room for variables now.
  std::uint64_t room_begin() const { return alternate_begin != 0 ? alternate_begin : stack_limit(); }
  std::uint64_t local_storage() const { return thread_part(slot) + kLocalStorage; }
  // The object that represents the thread: its end writes it, and try- and timed joins read it.
  std::uint64_t object_address() const { return thread_part(slot) + kStackEnd - 1; }
  // The object of events on its cancellation.
  std::uint64_t cancel_object() const { return thread_part(slot) + kStackEnd - 2; }
  // pthread_t.
  std::uint64_t handle() const { return local_storage(); }
};

}  // namespace thrum::vm
