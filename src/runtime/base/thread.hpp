// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread of the program under test, in one execution.
#pragma once

#include <sched.h>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/event.hpp"
#include "model/place.hpp"
#include "runtime/base/fiber.hpp"

namespace thrum {

inline constexpr std::uint32_t kKeysMax = 1024;  // pthread keys

// What must be true before a thread can do its pending operation. The state itself lies in the program's own
// object, and so is rolled back with it.
enum class Wait : std::uint8_t {
  nothing,
  lock,         // the mutex or read-write lock at object is free
  shared_lock,  // no writer holds it
  spin_lock,    // the pthread_spinlock_t at object is free
  semaphore,    // the count at object is not zero
  once,         // no other thread is in the middle of the pthread_once at object
  guard,        // likewise for the static-initialisation guard there
  wakeup,       // somebody wakes it (condition variable, futex, barrier), or its deadline passes
  deadline,     // only the clock (sleep, a timer), or a signal handler
  join,         // the thread in `joined` ends: in the middle of a stretch
  ended,        // likewise, before a visible operation, or its deadline passes
  signal,       // a signal of the set in `signals` is pending
  handlers,     // all that was sent to the thread itself, and may be handled, has been
  spin,         // something that its waiting loop read is written (spin.hpp)
};

enum class Life : std::uint8_t {
  standing,   // before a visible operation, its pending one
  unsettled,  // in the middle of a stretch without visible operations
  ended,
};

struct Thread;

// A frame of a stack as the unwinder finds it.
struct RawFrame {
  std::uint64_t code;  // the return address in it
  std::uint64_t stack_pointer;
  std::uint64_t base_pointer;
  std::uint64_t end = 0;  // where its caller's begins; 0: not known
};

struct Destructor {
  void (*function)(void*);
  void* object;
  bool operator==(const Destructor&) const = default;
};

// What a program may tell the system about a thread, which has no effect on schedules.
struct ThreadSettings {
  static constexpr std::size_t kNameMax = 16;  // with its end
  char name[kNameMax] = {};
  int policy = SCHED_OTHER;
  sched_param priority = {};
  bool has_affinity = false;
  cpu_set_t affinity = {};
};

// What is looked at when threads take turns; first in Thread, so that it and the beginning of Standing lie
// close together.
struct Turn {
  Context context;
  std::uint64_t fs_base = 0;
  ThreadId id = kMainThread;
  // Its stack and heap region: threads are given new ones, in the order of their creation, while there are
  // any.
  std::uint16_t slot = 0;
  std::uint16_t number = 0;  // counts the threads of the execution
  Life life = Life::unsettled;
  bool timer = false;  // no thread of the program's: it sleeps, and then sends a signal (timers.hpp)
  std::uint16_t atomic_depth = 0;
  std::uint32_t events = 0;  // done so far
};

// What a thread stands before.
struct Standing {
  Operation operation = Operation::thread_start;  // pending
  Wait wait = Wait::nothing;
  Wait waited = Wait::nothing;  // before the signal that it goes on by handling
  Wait needs =
      Wait::nothing;       // where the execution is watched: of a lock or an attempt, that its object is free
  bool woken = false;      // Wait::wakeup: somebody did
  bool timed = false;      // its wait ends at deadline_ns
  bool timed_out = false;  // it goes on because of that
  bool interrupted = false;  // it goes on because a signal handler ran
  bool woken_spuriously = false;
  bool in_kernel = false;     // its wait has certainly begun: a signal cannot come just before
  bool signal_first = false;  // a signal that it handles came before its wait
  bool at_cancellation_point = false;
  bool cancelled = false;     // it may go on because it is at such a point and to be cancelled
  bool has_deadline = false;  // the next event's wait did (Event::timed)
  bool forced = false;        // it went on when nobody could (Event::forced)
  std::uint32_t size = 0;
  std::uint64_t object = 0;
  std::uint64_t code = 0;
  std::uint64_t lock = 0;        // the mutex to have again after a condition wait
  std::uint64_t wait_order = 0;  // who waits longest: first in, first out
  std::uint64_t deadline_ns = 0;
  std::uint64_t length_ns = 0;  // how far away the deadline was when the wait began
  std::uint64_t signals = 0;    // Wait::signal
  std::uint32_t woken_by = 0;   // these three as in Event, where events are written down
  Update update = Update::exchange;
  std::uint64_t operation_argument = 0;
  Thread* joined = nullptr;
  Standing* outer = nullptr;  // what it stood before when a signal came whose handler it is in
};

// Whether and where a thread can be cancelled.
struct Cancellation {
  bool pending = false;       // somebody has cancelled it
  bool disabled = false;      // pthread_setcancelstate
  bool asynchronous = false;  // pthread_setcanceltype
  void* cleanup = nullptr;    // the innermost of C's cleanup buffers (intercept_cancel.cpp)

  bool acts() const { return pending && !disabled; }
  bool operator==(const Cancellation&) const = default;
};

// All of a thread that is plain data. Aligned so that Turn and the beginning of Standing share a cache line.
struct alignas(64) PlainThread : Turn, Standing {
  char* stack_top = nullptr;  // live frames lie below
  char* stack_bottom = nullptr;
  bool detached = false;
  bool joined_by_someone = false;
  bool released = false;           // ended, and joined or detached: its slot may serve another
  bool returns_int = false;        // body is a C11 thread's
  std::uint32_t children = 0;      // created so far
  std::uint32_t random_draws = 0;  // of random numbers so far
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  std::uint64_t others_when_spurious = kNever;  // events of others when it last woke up spuriously
  Cancellation cancellation;
  void* (*body)(void*) = nullptr;
  void* argument = nullptr;
  void* result = nullptr;
  std::size_t guard_size = 0;
  std::uint8_t focus = 0;   // of the pending operation, where priorities ask for it: kFocusMethod or 0
  bool in_test = false;     // the test that was asked for has begun in it
  std::uint32_t tests = 0;  // that it has announced so far, or passed, by thrum::check()
};

struct Thread : PlainThread {
  std::vector<Destructor> destructors;  // of thread_local objects, newest last
  std::vector<void*> keys;              // pthread_setspecific
  std::vector<std::uint64_t> robust;    // the robust mutexes that it holds
  std::optional<ThreadSettings> settings;
  // Of the pending operation, where the trace is to hold stacks: return addresses, and the frames behind
  // them.
  std::vector<Place> stack;
  std::vector<RawFrame> frames;

  // As to assign it; cheaper where most is empty.
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

// Stands for a thread among the objects: its end writes it, and try- and timed joins read it.
inline std::uint64_t object_of(const Thread& thread) {
  return reinterpret_cast<std::uint64_t>(thread.stack_top) - 1;
}

}  // namespace thrum
