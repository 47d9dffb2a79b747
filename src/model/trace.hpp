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
  bug,           // described by Trace::failure
  steps,         // cut: more instrumented operations than allowed
  memory,        // cut: more memory than allowed
  threads,       // cut: more threads than an execution may have
  refused,       // cut: the program made a call that cannot be controlled, and that was refused
  time,          // cut: the time limit of the search was reached
  stopped,       // cut: the strategy does not need the rest
  assumption,    // cut: a false thrum_assume
  yields,        // cut: a thread yielded at one place more often than the bound allows
  waiting,       // threads wait in loops, and one that began a round now would go on
  goes_round,    // its threads go round in loops, perhaps for ever; it is not known whether this is a bug
  diverged,      // the plan could not be followed: the program is not under control
  uncontrolled,  // cut: something was learned of the program, so that the search begins again
};

// Whether a limit or a refused call ended the execution although its threads could have gone on. The strategy
// and assumptions do not count.
inline bool is_cut_by_limit(End end) {
  return end == End::steps || end == End::memory || end == End::threads || end == End::refused ||
         end == End::time || end == End::yields;
}

// A thread's next operation, published before it is done (the lookahead that DPOR and GAMBIT need).
struct PendingOperation {
  ThreadId thread = kMainThread;
  Operation operation = Operation::load;
  bool enabled = false;
  std::uint32_t size = 0;
  std::uint64_t object = 0;
  // Of a wait: the mutex. Of a join: the thread. Where it does nothing more in a loop (Rounds::block): the
  // address behind the call that it stands at.
  std::uint64_t operand = 0;
  std::uint32_t woken_by = 0;   // as in Event
  std::uint8_t focus = 0;       // as in Event
  Via via = Via::run;           // how it goes on, if it is enabled
  bool sleeps = false;          // and waits until another thread wakes it
  bool timed = false;           // as in Event
  bool has_deadline = false;    // as in Event
  std::uint64_t condition = 0;  // it is an await (Await)
};

// The event that it would be, as far as this is known before it is done.
Event event_of(const PendingOperation& pending);

// Bytes that the waiting loop of an event's thread read, and for whose change it waited.
struct Watched {
  std::uint32_t event = 0;  // index in Trace::events
  std::uint32_t size = 0;
  std::uint64_t object = 0;
};

// An event that is an await: a read that some values do not enable, since with them a round of its thread's
// loop would come to nothing (Rounds::await). Which values do so is a function of the condition: a number
// that stands for the state of the thread and for what the operation does.
struct Await {
  std::uint32_t event = 0;  // index in Trace::events
  std::uint64_t condition = 0;
};

// A value that does not enable the awaits of a condition.
struct Refusal {
  std::uint64_t condition = 0;
  std::uint64_t value = 0;

  friend auto operator<=>(const Refusal&, const Refusal&) = default;
};

struct EventPlaces {
  Place object;
  Place value;               // if value is an address
  Place operand;             // if operand is an address
  std::vector<Place> stack;  // return addresses, innermost first
};

// A function's frame on a stack. With it an address in the frame can be named as a variable. Registers are
// distances from the upper end of the stack.
struct StackFrame {
  Place code;  // the return address in it
  std::uint64_t stack_pointer = 0;
  std::uint64_t base_pointer = 0;
  std::uint64_t end = 0;  // its canonical frame address (DWARF), where its caller's frame begins

  friend bool operator==(const StackFrame&, const StackFrame&) = default;
};

// A heap block in which places of the trace lie.
struct HeapBlock {
  ThreadId thread = kMainThread;  // these two are its name, as in Place
  std::uint32_t number = 0;
  std::uint64_t size = 0;        // as requested
  std::vector<Place> allocated;  // of the allocation: return addresses, innermost first; empty if not known
};

// Two places in code whose accesses race, and the bytes of the first such race.
struct KnownRace {
  Place first;
  Place second;
  Place bytes;  // space `other`: an address that is the same in each process
  std::uint64_t size = 0;

  friend bool operator==(const KnownRace&, const KnownRace&) = default;
};

// Lost heap blocks that were allocated at one place.
struct LostBlocks {
  ThreadId thread = kMainThread;  // the thread that allocated them
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;    // as requested
  bool with_another = false;  // other lost blocks point to them
  std::vector<Place> stack;   // of the allocation: return addresses, innermost first; empty if not known
};

// The report of a random policy (execution/policy.hpp) on an execution that it led.
struct Sampling {
  struct Count {
    ThreadId thread = kMainThread;
    std::uint64_t object = 0;  // 0: the operations that have none
    std::uint32_t count = 0;
  };
  // The conditions of the policy's guarantee, and the plan's expectations, were met.
  bool as_expected = false;
  std::uint32_t sources = 0;  // pct: sources (threads and others) that had a priority
  double log_chance = 0;      // surw: the natural logarithm of the probability of this order
  std::vector<Count> counts;  // surw: the operations that were done
};

// An execution that can go on for ever: its events from begin up to end repeat.
struct Lasso {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;  // after the last one; equal to begin: there is none

  bool empty() const { return begin == end; }
  friend bool operator==(const Lasso&, const Lasso&) = default;
};

// The counts of an execution, recorded or not.
struct ExecutionCounts {
  std::uint64_t steps = 0;     // instrumented operations
  std::uint32_t points = 0;    // choices of a thread that were met
  std::uint32_t withheld = 0;  // choices after the plan's last departure at which fairness withheld options
  std::uint16_t threads = 0;   // created in total, main included
  // Of the engine. midway: it began at a waypoint; counts start at the beginning all the same. trusted: it
  // was not judged for races, since another execution of its class was. left_control: it went on after a call
  // that is not under control.
  bool midway = false;
  bool trusted = false;
  bool left_control = false;
};

// The details for showing an execution: lasting names, stacks, blocks. Empty unless Wanted::kPlaces.
struct Details {
  std::vector<EventPlaces> places;         // one for each event
  std::vector<Place> failure_stack;        // where failure.thread failed: return addresses, innermost first
  std::vector<EventPlaces> waiter_places;  // object and stack of each of failure.waiters
  std::vector<EventPlaces> access_places;  // the same for failure.accesses
  // If the failure is not that no thread was enabled: the other live threads with their pending operations,
  // and the objects and stacks of these.
  std::vector<Waiter> others;
  std::vector<EventPlaces> other_places;
  std::vector<StackFrame> frames;      // named by places
  std::vector<HeapBlock> blocks;       // named by places
  std::vector<KnownRace> known_races;  // passed over; their accesses were visible operations
  std::vector<LostBlocks> lost;        // of a leak: blocks that no lost block points to come first
  std::string output;                  // what the program wrote to descriptors 1 and 2

  void clear();
};

// No term: the value is constant.
inline constexpr std::uint32_t kNoTerm = 0xffffffff;

// An access that is no event of its own: a plain one, or what an operation in an atomic section accesses. A
// free is a write, and the end of a thread writes its stack.
//
// Wanted::kAccesses: of memory that several threads access. Between two events of the thread each byte stands
// here once as read, if the thread had not written it before, with the value that it had then; and once as
// written, with its last value. Reads come in their order. Writes may stand behind reads of the same bytes
// that came before or after them. No access is longer than 8 bytes, and none crosses a multiple of 8. The end
// of memory (a free, an unmapping, the end of a thread's stack) is Operation::deallocate. What fails is
// missing: Trace::failure names it. A plain access that is an event because its race is known stands behind
// its event.
struct RecordedAccess {
  std::uint32_t event = 0;  // so many events came before it
  ThreadId thread = kMainThread;
  Operation operation = Operation::plain_load;
  bool writes = false;
  bool in_section = false;  // of its thread's last event, an atomic section
  std::uint32_t size = 0;   // in bytes
  std::uint64_t object = 0;
  std::uint64_t value = 0;       // Wanted::kAccesses
  std::uint32_t term = kNoTerm;  // Wanted::kTerms: of the value
  std::uint64_t code = 0;        // of a read (Wanted::kAccesses): where in the program; 0: not known
};

// The terms of what an atomic operation read and wrote (Wanted::kTerms).
struct EventTerms {
  std::uint32_t event = 0;  // index in Trace::events
  std::uint32_t read = kNoTerm;
  std::uint32_t written = kNoTerm;
};

// A branch that depends on an input, or on a value that another thread may have written.
struct Decision {
  std::uint32_t event = 0;     // so many events came before it
  std::uint32_t accesses = 0;  // so many of Trace::accesses came before it
  ThreadId thread = kMainThread;
  bool of_event = false;  // of its thread's last event: whether a compare-exchange finds what it expects
  std::uint64_t code = 0;
  // What decides, in the program's table of terms: the outcome is its value.
  std::uint32_t term = kNoTerm;
  std::uint64_t outcome = 0;
};

// A value that the program requested from its environment (Plan::inputs).
struct RecordedInput {
  ThreadId thread = kMainThread;
  std::uint32_t number = 0;  // the thread's inputs before this one
  std::uint32_t bits = 0;
  std::uint32_t symbol = 0;  // in the program's table of terms
};

struct Trace {
  // The execution.
  End end = End::finished;
  std::vector<ChoicePoint> choices;
  std::vector<Option> options;
  std::vector<Event> events;
  std::uint32_t branch = 0;  // Wanted::From::new_departure: index in `events` where the wanted part begins
  std::vector<Watched> watches;   // Wanted::kEvents: for events of waiting loops, in their order
  std::vector<Await> awaits;      // Wanted::kEvents: in the order of their events
  std::vector<Refusal> refusals;  // that the program has found while it ran this plan
  // Wanted::kEvents: the pending operations of the remaining threads at the end.
  std::vector<PendingOperation> pending;
  std::uint32_t cost = 0;             // by the policy's base
  Sampling sampling;                  // if the policy is random
  Fairness fairness = Fairness::off;  // the plan's
  Waiting waiting = Waiting::spins;   // the plan's
  Rounds rounds = Rounds::repeat;     // the plan's
  // stopped: what was learned of loops changes which events are awaits, so that the strategy begins again.
  bool begins_again = false;
  // Where no thread could go on, several had deadlines; the earliest one runs out then.
  bool compares_deadlines = false;
  // What a call returned, or where a new thread lies, may depend on whether another thread was joined or
  // detached or has ended, and no event says so.
  bool reveals_threads = false;
  // A block of the heap was given out that had been in use before, in this execution or before all.
  bool reuses_blocks = false;
  // Wanted::kAccesses: memory was found to be shared that was not known to be. Accesses of it are in this
  // trace, and missing in earlier ones.
  bool grew = false;
  std::uint64_t shared = 0;     // Wanted::kAccesses: pieces of memory that are known to be shared
  bool starved = false;         // stopped: a thread starved, and the plan's fairness was `watch`
  ThreadId last = kMainThread;  // the thread that ran when it ended
  Failure failure;              // for End::bug
  Lasso lasso;                  // of a livelock; if events are recorded

  Details details;
  ExecutionCounts counts;

  // Side tables, in the order of the execution; empty unless wanted.
  std::vector<RecordedAccess> accesses;  // Wanted::kAccesses, kFootprints
  std::vector<EventTerms> terms;         // Wanted::kTerms
  std::vector<Decision> decisions;       // Wanted::kDecisions
  std::vector<RecordedInput> inputs;     // Wanted::kTerms

  // Empties it and keeps its memory.
  void clear();

  std::span<const Option> options_of(const ChoicePoint& point) const {
    return {options.data() + point.options_begin, point.options_count};
  }
};

}  // namespace thrum
