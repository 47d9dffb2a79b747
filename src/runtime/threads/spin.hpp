// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting loops: their threads wait until something that the loop read is written (docs/semantics.md, "Loops,
// fairness, livelock").
//
// The idea. A thread comes back to the same call with the same callee-saved registers and the same live
// stack, and has changed nothing in between. Then it will do the same again until another thread writes
// something that it read. Values that live across a call are in callee-saved registers or on the stack, so
// these are the whole state of the loop, with what the thread has stored for its pthread keys.
//
// Example: while (!ready.load()) {} reads once, comes back, and then waits for a write to ready.
//
// Where searches count preemptions or go by chance, it waits until something has another value than it read
// (Waiting::values). With the old values a round would come to nothing again. Say that it were begun then,
// and something changed in its middle: the thread might as well stop in the middle of the round before, and
// no more preemptions are needed for that, though more delays may be. Other searches take "was written",
// which does not depend on what was written.
//
// Copying the stack at every load would cost too much. So a call is watched only after it was seen twice in a
// row with no change in between. When such a call is found, the execution begins again with the call watched.
// Executions that never came back to the call are the same either way, so a plan keeps its meaning. The state
// is compared with that of the last visit whose number is a power of two (Brent's cycle finding), which also
// finds loops that alternate between several states.
//
// Unset places on the stack hold what an earlier execution left there, and they are compared too. So that the
// same plan always finds the same loops, stacks are cleared at the beginning, as deep as loops were ever seen
// (clear_stack()).
//
// Tested by spin_test.cpp.
//
// Rejected: comparing hashes of stacks. An "exhausted" must not depend on a hash.
#pragma once

#include <cstdint>
#include <vector>

#include "model/trace.hpp"
#include "runtime/base/fiber.hpp"
#include "runtime/base/thread.hpp"
#include "support/number_set.hpp"

namespace thrum {

class LoopList;
struct Thread;

// The state of a loop: its thread's registers and live stack, and what it has stored for pthread keys.
class LoopState {
 public:
  void take(const Thread& thread, const CallerState& caller);
  bool is_that_of(const Thread& thread, const CallerState& caller) const;

 private:
  std::vector<std::uint64_t> words_;  // never shrinks, since it is filled again and again
  std::size_t count_ = 0;
  std::vector<SpecificValue> keys_;
};

class SpinDetector {
 public:
  constexpr SpinDetector() = default;

  // Forgets the execution; keeps the calls to watch.
  void reset();

  // The detector's state in the middle of an execution.
  struct Moment;
  void save(Moment& moment) const;
  // REQUIRES: after a reset().
  void restore(const Moment& moment);
  // Executions of another plan begin. by_value: a thread waits until something that it read has another value
  // than it read; else until it is written.
  void begin_plan(bool by_value) { by_value_ = by_value; }
  // An execution begins. Whether loops may have to be recognised in it: else nothing is noted before
  // note_all().
  void begin(bool notes) { notes_ = notes; }
  void note_all() { notes_ = true; }
  // Whether few writes have been recorded.
  bool is_short() const { return writes_.size() < 10'000; }
  // How deep stacks are cleared at the beginning.
  std::size_t depth() const { return depth_; }

  // A thread with that slot is about to run. REQUIRES: no other function was called for it before.
  void add_thread(std::uint16_t slot) {
    if (threads_.size() <= slot) threads_.resize(slot + std::size_t{1});
  }

  enum class Arrival : std::uint8_t { ordinary, spins, start_anew };

  // The thread arrives at a call (code: its return address) that may be part of a waiting loop. spins: it
  // waits until released(). start_anew: a call to watch was found.
  Arrival arrive(const Thread& thread, std::uint64_t code, const CallerState& caller);

  // Code in a loop that is not instrumented is not seen. So the first spin of a call is proved: the thread
  // runs one more round, alone, and must come back to the same state with all memory unchanged. Says whether
  // the spin that arrive() has just found has to be proved. This is so only if no other thread has run since
  // the visit compared with, and this one has not waited: then the round must repeat exactly.
  bool unproved(const Thread& thread, std::uint64_t code) const;
  void prove(std::uint64_t code) { proved_.insert(code); }
  // The call is no spin: from the next execution on it is an ordinary call.
  void never(std::uint64_t code) { never_.insert(code); }
  void add_loops(LoopList& loops) const;
  // The calls given to never(). Everything else that is learned of calls does not change what a plan means.
  const NumberSet& no_spins() const { return never_; }

  // A thread begins; its stack holds nothing below `end`. Clears it to that depth.
  static void clear_stack(const Thread& thread, char* end, std::size_t depth);

  // The thread waits for an event or a time: the code that follows is no mere repetition.
  void note_wait(const Thread& thread);

  // Another thread goes on.
  void note_switch() { ++switches_; }
  std::uint64_t switches() const { return switches_; }

  // The thread has read an object and changed nothing.
  void note_read(const Thread& thread, std::uint64_t object, std::uint32_t size) {
    if (notes_) add_read(thread, object, size);
  }
  // The same, and it has read that value of so many bytes there.
  void note_value(const Thread& thread, std::uint64_t object, std::uint32_t size, std::uint64_t value) {
    if (!notes_) return;
    Read& read = add_read(thread, object, size);
    read.by_value = by_value_;
    read.value = value;
  }

  // The thread has done something that other threads may see: no spin reaches back beyond this.
  void note_change(const Thread& thread) {
    if (!notes_) return;
    PerThread& mine = threads_[thread.slot];
    mine.visit_count = 0;
    mine.reads.clear();
  }

  // Some thread has written an object.
  void note_write(std::uint64_t object, std::uint32_t size) {
    if (notes_) writes_.emplace_back(object, size ? size : 1);
  }

  // What the thread has read since its last change counts as what its iteration read.
  void wait_for_all_reads(const Thread& thread) {
    threads_[thread.slot].waits_for = threads_[thread.slot].reads;
  }
  // Whether something that the spinning thread read in its iteration was written since, or has another value.
  bool released(const Thread& thread) const;

  // Adds the objects whose change the thread waits for, as belonging to that event of the trace.
  void add_watched(const Thread& thread, std::uint32_t event, std::vector<Watched>& watches) const;

  // Whether its iteration read the clock.
  bool reads_clock(const Thread& thread) const;

  // Lets a spinning thread run one more round though nothing that it read was written. False if it has had
  // such a round since the last write of any object.
  bool give_another_round(const Thread& thread);

  // give_another_round() forgets the round that the thread had.
  void forget_round(const Thread& thread);

  // The object that represents the clock.
  static constexpr std::uint64_t kClock = 1;  // Locations::kClock

 private:
  struct Span {
    std::uint64_t object;
    std::uint32_t size;
  };
  struct Read {
    Span what;
    bool by_value;                // it counts whether the object has another value
    std::uint32_t writes_before;  // the length of writes_ when it was read
    std::uint64_t value;
  };
  struct Visit {
    std::uint64_t code;
    std::uint64_t stack_pointer;
    std::uint32_t count;
    std::uint32_t first_read;  // the first read since the visit compared with
    std::uint64_t switches;    // the count at that visit
    std::uint64_t waits;
    std::uint64_t read_switches;  // the counts at first_read
    std::uint64_t read_waits;
    LoopState state;
  };
  static constexpr std::uint32_t kNoRound = 0xffffffff;
  struct alignas(64) PerThread {
    std::vector<Visit> visits;  // calls since the thread's last change
    std::size_t visit_count = 0;
    std::vector<Read> reads;
    std::vector<Read> waits_for;
    std::uint64_t waits = 0;
    std::uint32_t round_given_at = kNoRound;  // the length of writes_ at that time
  };
  static void copy(const PerThread& from, PerThread& to);
  Read& add_read(const Thread& thread, std::uint64_t object, std::uint32_t size);
  bool is_deepest(const Thread& thread, const CallerState& caller);
  static void see_present_values(PerThread& mine);
  static bool too_deep(const Thread& thread, const CallerState& caller);

  NumberSet watched_;
  NumberSet proved_;
  NumberSet never_;
  NumberSet found_;        // calls at which threads waited
  std::size_t depth_ = 0;  // bytes of live stack: the most that was ever compared
  bool by_value_ = false;
  bool notes_ = true;
  std::uint64_t switches_ = 0;
  std::vector<PerThread> threads_;  // by slot
  std::vector<Span> writes_;
};

struct SpinDetector::Moment {
  bool notes = true;
  std::uint64_t switches = 0;
  std::vector<PerThread> threads;  // if notes
  std::vector<Span> writes;
};

}  // namespace thrum
