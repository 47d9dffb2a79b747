// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ends of executions that are known already.
//
// The idea. Once main has joined all other threads, and meets no choice any more, what follows is a function
// of the program's state. Where that is long (a large structure is taken down, all that was recorded is
// checked), it is run once for each state: the state in which main came to be alone is kept, and an execution
// that comes to an equal one ends there, as the other did, with as many steps counted.
//
// States are compared byte by byte: all pages that are not as in the snapshot, the heap's regions, main's
// storage, its stack from the caller of the join upwards, and what the runtime keeps. An end is kept only if
// it came to the program's own, without a choice, a thread, a system call or a waiting loop. Stacks of ended
// threads are no part of a state; while an end is run that may be kept, nobody can touch them.
//
// Where the strategy reads events, those of an end are kept with it, and stand behind the others' of each
// execution that ends so; they come behind all that others did, and so race with nothing.
//
// Tested by programs of which the ends differ by schedule: tests/endtoend/known_ends_test.cpp.
//
// Rejected: hashes of states, since an "exhausted" must not rest on them.
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

  // Whether note_join() has to know the caller.
  bool wants_caller() const { return long_; }

  // A thread was joined, and the running one goes on behind the call. caller: its registers at the call.
  // Does not return where the end is known.
  void note_join(const CallerState& caller) {
    if (alone_ || scheduler().live().size() != 1) return;
    if (long_) return look_up(caller);
    alone_ = true;
    steps_ = steps_done();
  }

  // Whether this execution's end is being run in order to be kept.
  bool is_keeping() const { return keeping_; }

  // The end of this execution depends on more than its state, and is not to be kept.
  void give_up();

  // Called for a fault at the address: true where it was in the stack of an ended thread, which can be used
  // again.
  bool open_stacks(std::uint64_t address);

  // The execution is over. whole: it came to the program's own end.
  void finish(const Trace& trace, bool whole);

  // There is another snapshot.
  void forget();

 private:
  // What lies in registers and in the runtime.
  struct Point {
    CallerState caller{};
    std::uint64_t floating_point = 0;  // its modes
    std::uint64_t now_ns = 0;
    std::uint32_t children = 0;
    std::uint32_t random_draws = 0;
    Cancellation cancellation;
    bool operator==(const Point&) const = default;
  };
  struct KnownEnd {
    Point point;
    std::vector<Destructor> destructors;
    std::vector<void*> keys;
    std::vector<std::span<const char>> memory;  // where what differs from the snapshot lies
    std::vector<char> bytes;                    // what was there, in the same order
    bool recorded = false;                      // its events are there
    std::vector<Event> events;                  // with the numbers that they had when it was run
    std::uint32_t first_event = 0;              // main's, that is the first of it
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

  std::vector<KnownEnd> ends_;  // the last one used first
  KnownEnd now_;                // without bytes
  bool alone_ = false;          // main has come to be alone in this execution
  bool keeping_ = false;        // ends_.back() may be this execution's
  bool long_ = false;           // some end was worth to be kept
  std::uint64_t steps_ = 0;     // so far, when main came to be alone
  std::uint32_t points_ = 0;
  std::size_t choices_ = 0;
  std::size_t events_ = 0;
  std::uint16_t threads_ = 0;
  std::uint32_t unknown_ = 0;  // ends in a row that were not known
  std::uint32_t pause_ = 0;    // ends that are not looked at yet
  std::uint32_t hits_ = 0;     // ends in a row that were known
};

extern constinit Forever<KnownEnds> the_known_ends;
inline KnownEnds& known_ends() { return the_known_ends.value; }

}  // namespace thrum
