// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The known ends of executions.
//
// The idea. Once main has joined all other threads and meets no more choices, the rest of the execution is a
// function of the program's state. If this rest is long (a large structure is destroyed, all recorded data is
// checked), it is run once for each state: the state in which main came to be alone is kept, and an execution
// that reaches an equal state ends there. It gets the same end and the same number of steps.
//
// States are compared byte by byte: all pages that differ from the snapshot, the heap's regions, main's
// thread-local storage, main's stack from the caller of the join upwards, and the runtime's own data. An end
// is kept only if the program ended by itself, without a choice, a thread, a system call or a waiting loop.
// Stacks of ended threads are not part of a state. They are inaccessible while an end runs that may be kept.
//
// If the strategy reads events, the events of an end are kept with it, and appended to each execution that
// ends so. They come after all events of other threads, and so take part in no race.
//
// Tested by programs whose ends differ by schedule: tests/endtoend/known_ends_test.cpp.
//
// Rejected: hashes of states. An "exhausted" must not depend on them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/trace.hpp"
#include "runtime/base/forever.hpp"
#include "runtime/base/world.hpp"
#include "runtime/threads/scheduler.hpp"

namespace thrum {

class KnownEnds {
 public:
  constexpr KnownEnds() = default;

  // Whether note_join() needs the caller.
  bool wants_caller() const { return long_; }

  // A thread was joined, and the running one goes on after the call. caller: its registers at the call. Does
  // not return if the end is known.
  void note_join(const CallerState& caller) {
    if (alone_ || scheduler().live().size() != 1 || scheduler().has_invariants()) return;
    if (long_) return look_up(caller);
    alone_ = true;
    steps_ = steps_done();
  }

  // Whether the end of this execution is running and may be kept.
  bool is_keeping() const { return keeping_; }

  // The end of this execution depends on more than the state, and is not kept.
  void give_up();

  // Called for a fault at the address: true if it lies in the stack of an ended thread. The stacks are
  // accessible from then on.
  bool open_stacks(std::uint64_t address);

  // The execution is over. whole: the program ended by itself.
  void finish(const Trace& trace, bool whole);

  // The snapshot has changed.
  void forget();

 private:
  // The parts of a state in registers and in the runtime.
  struct Point {
    CallerState caller{};
    std::uint64_t floating_point = 0;  // the modes of floating-point arithmetic
    std::uint64_t now_ns = 0;
    std::uint32_t children = 0;
    std::uint32_t random_draws = 0;
    Cancellation cancellation;
    bool operator==(const Point&) const = default;
  };
  struct KnownEnd {
    Point point;
    std::vector<Destructor> destructors;
    std::vector<SpecificValue> keys;
    std::vector<std::span<const char>> memory;  // where it differs from the snapshot
    std::vector<char> bytes;                    // the content, in the same order
    bool recorded = false;                      // its events are known
    std::vector<Event> events;                  // with their numbers in the execution that ran the end
    std::uint32_t first_event = 0;              // index of the first event of the end, among main's
    std::uint64_t steps = 0;
    std::uint32_t points = 0;
    bool equals(const KnownEnd& other) const;
  };
  static bool is_looked_at();
  static bool may_be_known();
  void look_up(const CallerState& caller);
  void collect(const CallerState& caller);
  [[noreturn]] void end_as(std::size_t known);
  void keep();

  std::vector<KnownEnd> ends_;  // the last one used is first
  KnownEnd now_;                // without bytes
  bool alone_ = false;          // main has come to be alone in this execution
  bool keeping_ = false;        // ends_.back() may be this execution's end
  bool long_ = false;           // some end was long enough to be kept
  std::uint64_t steps_ = 0;     // done when main came to be alone
  std::uint32_t points_ = 0;
  std::size_t choices_ = 0;
  std::size_t events_ = 0;
  std::uint16_t threads_ = 0;
  std::uint32_t unknown_ = 0;  // unknown ends in a row
  std::uint32_t pause_ = 0;    // so many ends are not checked
  std::uint32_t hits_ = 0;     // known ends in a row
};

extern constinit Forever<KnownEnds> the_known_ends;
inline KnownEnds& known_ends() { return the_known_ends.value; }

}  // namespace thrum
