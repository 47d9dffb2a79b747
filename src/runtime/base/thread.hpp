// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread of the program under test, in one execution.
#pragma once

#include <sched.h>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "model/event.hpp"
#include "model/place.hpp"
#include "runtime/base/fiber.hpp"

namespace thrum {

inline constexpr std::uint32_t kKeysMax = 1024;  // pthread keys

// The condition for a thread's pending operation. Its state lies in the program's own object, and so is
// rolled back with it.
enum class Wait : std::uint8_t {
  nothing,
  lock,          // the mutex or read-write lock at object is free
  shared_lock,   // no writer holds it
  spin_lock,     // the pthread_spinlock_t at object is free
  semaphore,     // the count at object is not zero
  once,          // no other thread is in the middle of the pthread_once at object
  guard,         // no other thread is in the middle of the static initialisation at object
  wakeup,        // a thread wakes it (condition variable, futex, barrier), or its deadline passes
  deadline,      // its deadline passes (sleep, a timer), or it runs a signal handler
  join,          // the thread in `joined` ends; the waiting thread is in the middle of a stretch
  ended,         // the same, before a visible operation; or its deadline passes
  signal,        // a signal of the set in `signals` is pending
  handlers,      // it has run the handlers of all deliverable signals that were sent to it
  spin,          // something that its waiting loop read is written (spin.hpp)
  await,         // the object has a value that enables the read (awaits.hpp)
  nothing_more,  // never: a round of its waiting loop came to nothing (awaits.hpp)
};

enum class Life : std::uint8_t {
  standing,   // before a visible operation, its pending one
  unsettled,  // in the middle of a stretch without visible operations
  ended,
};

struct Thread;

// A condition that holds between any two steps (threads/invariants.hpp).
struct Invariant {
  int (*holds)(void*) = nullptr;
  void* argument = nullptr;
  const char* name = nullptr;
  std::uint64_t code = 0;  // where it was stated
};

// A stack frame, as the unwinder finds it.
struct RawFrame {
  std::uint64_t code;  // the return address in it
  std::uint64_t stack_pointer;
  std::uint64_t base_pointer;
  std::uint64_t end = 0;  // where its caller's frame begins; 0: not known
};

struct Destructor {
  void (*function)(void*);
  void* object;
  bool operator==(const Destructor&) const = default;
};

// Settings of a thread that have no effect on schedules.
struct ThreadSettings {
  static constexpr std::size_t kNameMax = 16;  // the final 0 included
  char name[kNameMax] = {};
  int policy = SCHED_OTHER;
  sched_param priority = {};
  bool has_affinity = false;
  cpu_set_t affinity = {};
};

// What is read when threads take turns. It stands first in Thread, so that it and the beginning of Standing
// lie close together.
struct Turn {
  Context context;
  std::uint64_t fs_base = 0;
  ThreadId id = kMainThread;
  // Its stack and heap region. As long as some are unused, each new thread gets a new slot, in the order of
  // creation.
  std::uint16_t slot = 0;
  std::uint16_t number = 0;  // counts the threads of the execution
  Life life = Life::unsettled;
  bool timer = false;  // not a thread of the program: it sleeps, and then sends a signal (timers.hpp)
  std::uint16_t atomic_depth = 0;
  std::uint32_t events = 0;  // how many it has done so far
};

// The pending operation of a thread.
struct Standing {
  Operation operation = Operation::thread_start;  // pending
  Wait wait = Wait::nothing;
  Wait waited = Wait::nothing;  // what it waited for before the signal that it handles next
  Wait needs =
      Wait::nothing;   // in a watched execution: a lock operation, or an attempt to lock, needs a free object
  bool woken = false;  // Wait::wakeup: a thread woke it
  bool timed = false;  // its wait ends at deadline_ns
  bool timed_out = false;    // it goes on because the deadline passed
  bool interrupted = false;  // it goes on because a signal handler ran
  bool woken_spuriously = false;
  bool in_kernel = false;     // its wait has certainly begun: no signal can come just before it
  bool signal_first = false;  // it handled a signal that came before its wait
  bool at_cancellation_point = false;
  bool cancelled = false;     // it may go on because it is at a cancellation point and is cancelled
  bool has_deadline = false;  // the next event's wait had one (Event::timed)
  bool forced = false;        // it went on when no thread was enabled (Event::forced)
  std::uint32_t size = 0;
  std::uint64_t object = 0;
  std::uint64_t code = 0;
  std::uint64_t lock = 0;        // the mutex to lock again after a condition wait
  std::uint64_t wait_order = 0;  // the longest waiting is first: first in, first out
  std::uint64_t deadline_ns = 0;
  std::uint64_t length_ns = 0;  // how far away the deadline was when the wait began
  std::uint64_t signals = 0;    // Wait::signal
  std::uint32_t woken_by = 0;   // these three as in Event, if events are recorded
  Update update = Update::exchange;
  std::uint64_t operation_argument = 0;
  std::uint64_t operation_operand = 0;  // of a compare-exchange: the desired value
  Thread* joined = nullptr;
  Standing* outer = nullptr;  // the pending operation before the signal whose handler runs
};

// Whether and where a thread can be cancelled.
struct Cancellation {
  bool pending = false;       // a thread has cancelled it
  bool disabled = false;      // pthread_setcancelstate
  bool asynchronous = false;  // pthread_setcanceltype
  void* cleanup = nullptr;    // the innermost of C's cleanup buffers (intercept_cancel.cpp)

  bool acts() const { return pending && !disabled; }
  bool operator==(const Cancellation&) const = default;
};

// What a thread has stored for a pthread key.
struct SpecificValue {
  void* value = nullptr;
  std::uint64_t generation = 0;  // of the key; if it has another one by now, the value is gone

  bool operator==(const SpecificValue&) const = default;
};
static_assert(std::has_unique_object_representations_v<SpecificValue>);  // compared byte by byte

// All of a thread that is plain data. Aligned so that Turn and the beginning of Standing share a cache line.
struct alignas(64) PlainThread : Turn, Standing {
  char* stack_top = nullptr;  // live frames lie below
  char* stack_bottom = nullptr;
  bool detached = false;
  bool joined_by_someone = false;
  std::uint32_t asked_about = 0;   // calls that depended on whether it was detached
  bool released = false;           // ended, and joined or detached: another thread may get its slot
  bool returns_int = false;        // body is a C11 thread's
  std::uint32_t children = 0;      // created so far
  std::uint32_t random_draws = 0;  // random numbers drawn so far
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  std::uint64_t others_when_spurious = kNever;  // events of others when it last woke up spuriously
  Cancellation cancellation;
  void* (*body)(void*) = nullptr;
  void* argument = nullptr;
  void* result = nullptr;
  Invariant invariant;  // that this thread checks, and nothing else
  std::size_t guard_size = 0;
  std::uint8_t focus = 0;   // of the pending operation, if priorities need it: kFocusMethod or 0
  bool in_test = false;     // the requested test has begun in it
  std::uint32_t tests = 0;  // that it has announced so far, or passed, by thrum::check()
};

struct Thread : PlainThread {
  bool has_on_stack(const volatile void* address) const {
    const auto* place = static_cast<const volatile char*>(address);
    return place >= stack_bottom && place < stack_top;
  }

  std::vector<Destructor> destructors;  // of thread_local objects, newest last
  std::vector<SpecificValue> keys;      // pthread_setspecific
  std::vector<std::uint64_t> robust;    // the robust mutexes that it holds
  std::optional<ThreadSettings> settings;
  // Of the pending operation, if the trace is to hold stacks: return addresses, and their frames.
  std::vector<Place> stack;
  std::vector<RawFrame> frames;

  // Assigns; cheaper than the default assignment if most members are empty.
  void become(const Thread& other) {
    static_cast<PlainThread&>(*this) = other;
    const auto assign = [](auto& to, const auto& from) {
      if (!to.empty() || !from.empty()) to = from;
    };
    assign(destructors, other.destructors);
    assign(keys, other.keys);
    assign(robust, other.robust);
    assign(stack, other.stack);
    assign(frames, other.frames);
    if (settings || other.settings) settings = other.settings;
  }
};

// The object that represents a thread: its end writes it, and try- and timed joins read it.
inline std::uint64_t object_of(const Thread& thread) {
  return reinterpret_cast<std::uint64_t>(thread.stack_top) - 1;
}

}  // namespace thrum
