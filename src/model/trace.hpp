// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A trace: what an execution of a plan did, in as much detail as was wanted (wanted.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/bug.hpp"
#include "model/choice.hpp"
#include "model/event.hpp"
#include "model/place.hpp"
#include "model/plan.hpp"
#include "model/wanted.hpp"

namespace thrum {

enum class End : std::uint8_t {
  finished,      // the process ended well
  bug,           // Trace::failure says which
  steps,         // cut: more instrumented operations than allowed
  memory,        // cut: more memory than allowed
  threads,       // cut: more threads than an execution may have
  refused,       // cut: the program asked for what cannot be controlled, and did not get it
  time,          // cut: the time of the search ended
  stopped,       // cut: the strategy saw no use in going on
  assumption,    // cut: a false thrum_assume
  yields,        // cut: a thread came to the same yield more often than the bound on them allows
  goes_round,    // its threads go round in loops, perhaps for ever, and that is not known to be a bug
  diverged,      // the plan could not be followed: the program is not under control
  uncontrolled,  // cut: something was learned of the program for which the search begins anew
};

// Whether the execution ended though its threads could have gone on, and neither it nor the strategy meant it
// to.
inline bool is_cut_by_limit(End end) {
  return end == End::steps || end == End::memory || end == End::threads || end == End::refused ||
         end == End::time || end == End::yields;
}

// What a thread will do next, published before it does it (the lookahead that DPOR and GAMBIT need).
struct PendingOperation {
  ThreadId thread = kMainThread;
  Operation operation = Operation::load;
  bool enabled = false;
  std::uint32_t size = 0;
  std::uint64_t object = 0;
  std::uint64_t operand = 0;   // of a wait: the mutex
  std::uint32_t woken_by = 0;  // as in Event
  std::uint8_t focus = 0;      // likewise
  Via via = Via::run;          // by what it goes on, where it is enabled
  bool sleeps = false;         // and waits for somebody to wake it
};

// The event that it would be, as far as that is known before it is done.
Event event_of(const PendingOperation& pending);

// Bytes that the waiting loop of an event's thread looked at, and waited for a change of.
struct Watched {
  std::uint32_t event = 0;  // its place in Trace::events
  std::uint32_t size = 0;
  std::uint64_t object = 0;
};

struct EventPlaces {
  Place object;
  Place value;               // where value is an address
  Place operand;             // where operand is one
  std::vector<Place> stack;  // return addresses, innermost first
};

// A function's frame on a stack, so that an address in it can be given the name of a variable. Registers are
// distances from the upper end of the stack.
struct StackFrame {
  Place code;  // the return address in it
  std::uint64_t stack_pointer = 0;
  std::uint64_t base_pointer = 0;
  std::uint64_t end = 0;  // its canonical frame address (DWARF), where its caller's frame begins

  friend bool operator==(const StackFrame&, const StackFrame&) = default;
};

// A block of the heap that places of the trace lie in.
struct HeapBlock {
  ThreadId thread = kMainThread;  // these two name it, as in Place
  std::uint32_t number = 0;
  std::uint64_t size = 0;        // that was asked for
  std::vector<Place> allocated;  // where: return addresses, innermost first; empty where that is not known
};

// Two places in code whose accesses race, and the bytes where they first did.
struct KnownRace {
  Place first;
  Place second;
  Place bytes;  // space other: an address that is the same in each process
  std::uint64_t size = 0;

  friend bool operator==(const KnownRace&, const KnownRace&) = default;
};

// Blocks of the heap that were allocated at one place and lost.
struct LostBlocks {
  ThreadId thread = kMainThread;  // who allocated them
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;    // that were asked for
  bool with_another = false;  // other lost blocks point to them
  std::vector<Place> stack;   // where: return addresses, innermost first; empty where that is not known
};

// What a random policy (execution/policy.hpp) says of an execution that it led.
struct Sampling {
  struct Count {
    ThreadId thread = kMainThread;
    std::uint64_t object = 0;  // 0: the operations that have none
    std::uint32_t count = 0;
  };
  // What the policy's guarantee asks of the program was so, and what the plan foretold of it.
  bool as_expected = false;
  std::uint32_t sources = 0;  // pct: who had a priority: threads, and what may end their waits
  double log_chance = 0;      // surw: the natural logarithm of the chance that this order had
  std::vector<Count> counts;  // surw: the operations that were done
};

// An execution that can go on for ever: its events from begin up to end come again and again.
struct Lasso {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;  // behind the last; as begin: there is none

  bool empty() const { return begin == end; }
  friend bool operator==(const Lasso&, const Lasso&) = default;
};

// What was counted in an execution, recorded or not.
struct ExecutionCounts {
  std::uint64_t steps = 0;     // instrumented operations
  std::uint32_t points = 0;    // thread choices met
  std::uint32_t withheld = 0;  // choices behind the plan's last departure at which fairness left out options
  std::uint16_t threads = 0;   // created in all, main included
  // Of the engine: the execution began at a moment of an earlier one, and counts are from the beginning all
  // the same; it was not judged for races, since another one of its class was; it went on behind a call that
  // is not under control.
  bool midway = false;
  bool trusted = false;
  bool left_control = false;
};

// What an execution is shown by: names that last, stacks, blocks. Empty unless Wanted::kPlaces.
struct Details {
  std::vector<EventPlaces> places;         // one an event
  std::vector<Place> failure_stack;        // where failure.thread failed, return addresses, innermost first
  std::vector<EventPlaces> waiter_places;  // object and stack of each of failure.waiters
  std::vector<EventPlaces> access_places;  // and of each of failure.accesses
  // Of a failure that is not that nobody could go on: what the threads that lived on stood before, and its
  // object and stack.
  std::vector<Waiter> others;
  std::vector<EventPlaces> other_places;
  std::vector<StackFrame> frames;      // that places speak of
  std::vector<HeapBlock> blocks;       // that places speak of
  std::vector<KnownRace> known_races;  // that were passed over, and whose accesses were visible operations
  std::vector<LostBlocks> lost;        // of a leak: those that hang on no others first
  std::string output;                  // what the program wrote to descriptors 1 and 2

  void clear();
};

// A plain access to memory that several threads may reach, and the value that it read or wrote.
struct PlainAccess {
  std::uint32_t event = 0;  // the next of its thread in Trace::events, or their number
  ThreadId thread = kMainThread;
  bool writes = false;
  std::uint32_t size = 0;  // in bytes
  std::uint64_t object = 0;
  std::uint64_t value = 0;  // of more than 8 bytes the first 8
};

// A branch that depends on an input, or on a value that another thread may have written.
struct Decision {
  std::uint32_t event = 0;  // as in PlainAccess
  ThreadId thread = kMainThread;
  std::uint64_t code = 0;
  std::uint32_t term = 0;     // its condition, by the program's table of terms
  std::uint16_t outcome = 0;  // which way it went
};

struct Trace {
  // The execution.
  End end = End::finished;
  std::vector<ChoicePoint> choices;
  std::vector<Option> options;
  std::vector<Event> events;
  std::uint32_t branch = 0;      // Wanted::From::new_departure: where in `events` what was wanted begins
  std::vector<Watched> watches;  // Wanted::kEvents: of the events of loops that waited, in their order
  // Wanted::kEvents: what the threads that are left stand before when the execution ends.
  std::vector<PendingOperation> pending;
  std::uint32_t cost = 0;             // by the policy's base
  Sampling sampling;                  // where the policy is a random one
  Fairness fairness = Fairness::off;  // the plan's
  Waiting waiting = Waiting::spins;   // the plan's
  bool starved = false;  // stopped, since a thread starved and the plan's fairness was to watch for that
  ThreadId last = kMainThread;  // who ran when it ended
  Failure failure;              // for End::bug
  Lasso lasso;                  // of a livelock; where events are recorded

  Details details;
  ExecutionCounts counts;

  // Side tables, in the order of the execution; empty unless wanted (Wanted::kAccesses, kDecisions).
  std::vector<PlainAccess> accesses;
  std::vector<Decision> decisions;

  // Empties it and keeps its memory.
  void clear();

  std::span<const Option> options_of(const ChoicePoint& point) const {
    return {options.data() + point.options_begin, point.options_count};
  }
};

}  // namespace thrum
