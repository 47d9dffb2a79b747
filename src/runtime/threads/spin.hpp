// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting loops: recognised, and their threads put to sleep until something that they read is written
// (docs/semantics.md, "Loops, fairness, livelock").
//
// The idea. A thread that comes back to the same call with the same callee-saved registers and the same live
// stack, and has changed nothing in between, will do the same again until somebody writes what it read.
// Values that live across a call are in callee-saved registers or on the stack, so those are the whole state
// of the loop.
//
// Example: while (!ready.load()) {} reads once, comes back, and then waits for a write to ready.
//
// Copying the stack at every load would cost too much. So a call is watched only once it was seen twice in a
// row with nothing changed between; when a call is found to be such a one, the execution starts anew with it
// watched. Executions that never came back to it are the same either way, so that a plan keeps its meaning.
// The state compared with is that of the last visit numbered by a power of two (Brent's cycle finding), which
// finds loops that alternate between several states as well.
//
// What lies on the stack in places that hold nothing yet is what an earlier execution left there, and it is
// compared too. So that the same plan always finds the same loops, stacks are cleared beforehand, as deep as
// loops were ever seen (clear_stack()).
//
// Tested by spin_test.cpp.
//
// Rejected: hashing the stack in place of comparing it, since an "exhausted" must not rest on a hash.
#pragma once

#include <cstdint>
#include <vector>

#include "model/trace.hpp"
#include "runtime/base/code_set.hpp"
#include "runtime/base/fiber.hpp"

namespace thrum {

struct Thread;

// What a loop may keep its state in, its thread's registers and live stack, to be compared later.
class LoopState {
 public:
  void take(const Thread& thread, const CallerState& caller);
  bool is_that_of(const Thread& thread, const CallerState& caller) const;

 private:
  std::vector<std::uint64_t> words_;  // never fewer than they were: it is taken again and again
  std::size_t count_ = 0;
};

class SpinDetector {
 public:
  constexpr SpinDetector() = default;

  // Forgets the execution, not the calls to watch.
  void reset();

  // An execution in the middle.
  struct Moment;
  void save(Moment& moment) const;
  void restore(const Moment& moment);
  // Whether little has been written so far.
  bool is_short() const { return writes_.size() < 10'000; }
  // How deep stacks are cleared beforehand.
  std::size_t depth() const { return depth_; }

  // A thread with that slot is about to run. REQUIRES: called before anything else about it.
  void add_thread(std::uint16_t slot) {
    if (threads_.size() <= slot) threads_.resize(slot + std::size_t{1});
  }

  enum class Arrival : std::uint8_t { ordinary, spins, start_anew };

  // The thread arrives at a call (code: its return address) that may be part of a waiting loop. spins: it
  // waits until released(). start_anew: a call to watch was found.
  Arrival arrive(const Thread& thread, std::uint64_t code, const CallerState& caller);

  // What a loop does through code that is not instrumented is not seen. So the first spin of a call is put to
  // the proof: the thread goes round once more, alone, and must come back to the same state with all memory
  // the same. Whether the spin that arrive() has just found is to be proved: only where no other thread has
  // run since the visit compared with, and this one has not waited, so that the round must be the same again.
  bool unproved(const Thread& thread, std::uint64_t code) const;
  void prove(std::uint64_t code) { proved_.add(code); }
  // It is no spin: from the next execution on the call is an ordinary one.
  void never(std::uint64_t code) { never_.add(code); }
  // Those calls. What else is learned of calls changes no plan's meaning.
  const CodeSet& no_spins() const { return never_; }

  // A thread begins whose stack has nothing on it below `end`.
  void clear_stack(const Thread& thread, char* end) const;

  // The thread waits for an event or a time: what follows is no mere repetition.
  void note_wait(const Thread& thread);

  // Another thread goes on.
  void note_switch() { ++switches_; }

  // The thread has read an object and changed nothing.
  void note_read(const Thread& thread, std::uint64_t object, std::uint32_t size);

  // The thread has done something that others may see: what it did before belongs to no spin.
  void note_change(const Thread& thread);

  // Some thread has written an object.
  void note_write(std::uint64_t object, std::uint32_t size) { writes_.emplace_back(object, size ? size : 1); }

  // Whether something that the spinning thread read in its iteration has been written since.
  bool released(const Thread& thread) const;

  // Adds what it waits for a change of, in the name of that event of the trace.
  void add_watched(const Thread& thread, std::uint32_t event, std::vector<Watched>& watches) const;

  // Whether its iteration read the clock.
  bool reads_clock(const Thread& thread) const;

  // Lets a spinning thread go round once more though nothing that it read was written; false if it has done
  // so since the last write of any object.
  bool give_another_round(const Thread& thread);

  // It has not gone round, as far as give_another_round() knows.
  void forget_round(const Thread& thread);

  // Stands for the clock among the objects.
  static constexpr std::uint64_t kClock = 1;

 private:
  struct Span {
    std::uint64_t object;
    std::uint32_t size;
  };
  struct Read {
    Span what;
    std::uint32_t writes_before;  // the length of writes_ when it was read
  };
  struct Visit {
    std::uint64_t code;
    std::uint64_t stack_pointer;
    std::uint32_t count;
    std::uint32_t first_read;  // what was read since the visit compared with
    std::uint64_t switches;    // when that visit was
    std::uint64_t waits;
    LoopState state;
  };
  static constexpr std::uint32_t kNoRound = 0xffffffff;
  struct alignas(64) PerThread {
    std::vector<Visit> visits;  // calls since the thread last changed something
    std::size_t visit_count = 0;
    std::vector<Read> reads;
    std::vector<Read> waits_for;
    std::uint64_t waits = 0;
    std::uint32_t round_given_at = kNoRound;  // the length of writes_ then
  };
  static void copy(const PerThread& from, PerThread& to);
  bool is_deepest(const Thread& thread, const CallerState& caller);
  static bool too_deep(const Thread& thread, const CallerState& caller);

  CodeSet watched_;
  CodeSet proved_;
  CodeSet never_;
  std::size_t depth_ = 0;  // bytes of live stack that were ever compared
  std::uint64_t switches_ = 0;
  std::vector<PerThread> threads_;  // by slot
  std::vector<Span> writes_;
};

struct SpinDetector::Moment {
  std::uint64_t switches = 0;
  std::vector<PerThread> threads;
  std::vector<Span> writes;
};

}  // namespace thrum
