// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounds of waiting loops that come to nothing, in executions of a reduced search (Rounds in
// model/policy.hpp; docs/semantics.md, "Loops, fairness, livelock"). SpinDetector (spin.hpp) does the same
// for all others.
//
// The idea. A thread arrives at a call. Its state there is its registers, its live stack, and what the call
// is to do. If it has been in that state since its last effect, its round has come to nothing. The execution
// without the round has the same end. So the thread does nothing more in this execution (Rounds::block): the
// execution in which it reads other values is explored as well, since its reads race with the stores.
//
// What a thread does between a read and its next call is a function of its state before the read and of the
// value. So the states that follow are learned. If a state that the thread has been in follows, the read is
// not enabled while the object has that value (Rounds::await): it is an await. Nothing is learned of a read
// behind which the thread accesses memory that is not atomic: such a round runs, and is checked for races and
// errors, whenever it can.
//
// Example: while (flag.load() == 0) {} learns "before the load, 0: before the load". From then on its load is
// enabled when flag is not 0.
//
// States are compared byte by byte, and then have a number. Taking them costs too much for every call. So
// calls are watched only when a thread has come back to one of them without an effect. Then the search begins
// again, so that the same reads are awaits in all its executions.
//
// Tested by awaits_test.cpp, and by tests/native.
#pragma once

#include <cstdint>
#include <vector>

#include "model/policy.hpp"
#include "model/trace.hpp"
#include "runtime/base/fiber.hpp"
#include "support/number_set.hpp"
#include "support/slots.hpp"

namespace thrum {

struct Thread;

class Awaits {
 public:
  constexpr Awaits() = default;

  // Forgets the execution; keeps what was learned.
  void reset();
  // An execution of a plan begins.
  void begin(Rounds rounds) { rounds_ = rounds; }
  bool is_on() const { return rounds_ != Rounds::repeat; }

  // The state in the middle of an execution.
  struct Moment;
  void save(Moment& moment) const;
  void restore(const Moment& moment);

  enum class Arrival : std::uint8_t {
    ordinary,
    nothing,  // its round has come to nothing
    learned,  // the same; and a read of the round is not enabled, as is known now: the plan begins anew
    watch,    // calls are watched from now on: the search begins again
    deeper,   // stacks are cleared deeper from now on: the plan begins anew
    unsound,  // what was learned before is contradicted: never() was called, and the search begins again
  };
  // The thread, whose operation, object, size and arguments are set, arrives at a call (code: its return
  // address) that may be part of a waiting loop. switches: how often threads have taken turns.
  Arrival arrive(const Thread& thread, std::uint64_t code, const CallerState& caller, std::uint64_t switches);
  // Whether the round that arrive() has just found has to be proved first, as SpinDetector::unproved() says.
  bool unproved(const Thread& thread, std::uint64_t code) const {
    return of(thread).was_alone && !proved_.has(code);
  }
  void prove(std::uint64_t code) { proved_.insert(code); }
  // The thread has done its operation and changed nothing: it has read that value, or nothing (a yield).
  void note_read(const Thread& thread, std::uint64_t value);
  // The thread has done something that its rounds do not reach back beyond.
  void note_change(const Thread& thread);
  // The thread has done an operation of which nothing is learned, and which changed nothing.
  void note_other(const Thread& thread);
  // The same, and rounds with it may have to be run again and again: it waited for a time, or read the clock.
  void note_time(const Thread& thread);
  bool depends_on_time(const Thread& thread) const { return of(thread).depends_on_time; }

  // The condition of the thread's pending operation (Await in model/trace.hpp); 0: it is no await.
  std::uint64_t condition(const Thread& thread) const { return of(thread).condition; }
  // Whether the await is not enabled while its object has that value.
  bool refuses(const Thread& thread, std::uint64_t value) const;
  // Whether a yield must go on at once, since it is not known yet what follows it.
  bool goes_on(const Thread& thread) const;

  // A thread runs a round of its own at the end of an execution, to see whether it comes back.
  void begin_trial(const Thread& thread);
  void end_trial() { trial_ = kNoTrial; }

  // How deep stacks are cleared at the beginning (SpinDetector::clear_stack).
  std::size_t depth() const { return depth_; }
  // The refusals found since the last call.
  void take_refusals(std::vector<Refusal>& refusals);

  const NumberSet& watched() const { return watched_; }
  void watch(std::uint64_t code) { watched_.insert(code); }
  // The call belongs to no waiting loop.
  void never(std::uint64_t code) { never_.insert(code); }

 private:
  using State = std::uint32_t;  // its number, from 1; 0: not known
  struct Kept {
    std::uint64_t digest;
    std::uint64_t begin;  // in bytes_
    std::uint32_t size;
    bool is_yield;
  };
  struct Next {
    State before = 0;
    State after = 0;
    std::uint64_t value = 0;
  };
  // The states that a thread has been in since its last effect.
  struct Condition {
    std::uint64_t digest;
    std::uint32_t begin;  // in members_
    std::uint32_t size;
  };
  struct Visit {
    std::uint64_t code;
    std::uint64_t stack_pointer;
    State state;
    std::uint64_t switches;
  };
  // An operation that changed nothing, and of which something may be learned.
  struct Read {
    State before = 0;  // 0: there is none
    std::uint64_t value = 0;
    std::uint64_t steps = 0;  // instrumented operations done by then
  };
  struct PerThread {
    std::vector<Visit> visits;  // since the last effect
    State state = 0;            // before the pending operation
    std::uint64_t condition = 0;
    Read last;
    Read reader;                   // the last one that was no yield
    bool was_alone = false;        // no other thread ran in its last round
    bool depends_on_time = false;  // since its last effect
  };
  PerThread& of(const Thread& thread);
  const PerThread& of(const Thread& thread) const { return const_cast<Awaits*>(this)->of(thread); }
  Arrival arrive_unwatched(const Thread& thread, PerThread& mine, const Visit& visit);
  Arrival come_back(PerThread& mine, bool is_trial);
  Arrival watch(const PerThread& mine);
  State number_of(const Thread& thread, std::uint64_t code, const CallerState& caller);
  bool learn(PerThread& mine, State after);
  State after(State state, std::uint64_t value) const;
  static bool has_visited(const PerThread& mine, State state);
  bool refuses(const PerThread& mine, State state, std::uint64_t value) const;
  std::uint64_t condition_of(const PerThread& mine);

  static constexpr State kOther = ~State{0};  // a state in which no round comes to nothing
  static constexpr std::uint32_t kNoTrial = ~std::uint32_t{0};

  Rounds rounds_ = Rounds::repeat;
  std::uint32_t trial_ = kNoTrial;  // the slot of its thread
  NumberSet watched_;
  NumberSet never_;
  NumberSet proved_;
  std::size_t depth_ = 0;
  std::vector<PerThread> threads_;  // by slot
  std::vector<Kept> states_;
  std::vector<char> bytes_;
  std::vector<char> taken_;  // number_of(), kept for its memory
  Slots<State> state_slots_;
  Slots<Next> next_;
  std::size_t next_count_ = 0;
  std::vector<Condition> conditions_;
  std::vector<State> members_;
  Slots<std::uint32_t> condition_slots_;  // numbers from 1
  std::vector<Refusal> refusals_;
};

struct Awaits::Moment {
  std::vector<PerThread> threads;
};

}  // namespace thrum
