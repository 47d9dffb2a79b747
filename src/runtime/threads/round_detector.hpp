// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Idle rounds: rounds of a waiting loop that come to nothing although they write, such as polling under a
// lock (docs/semantics.md, "Loops, fairness, livelock"). SpinDetector (spin.hpp) knows loops that only read.
//
// The idea. A thread comes back to the same call with the same registers and the same live stack. All that it
// wrote since then holds again what it held before, by its own writes; it has given back each lock that it
// took and freed each block that it allocated; and no other thread saw a value in between. Then the execution
// without this round has the same end, so the thread need not go round again while all that the round read is
// as it was: it waits. The round itself stays in the execution and is checked like any other code.
//
// Example: while (!is_done()) {} where is_done() takes a lock, reads a flag and gives the lock back. The
// round reads the flag once; the thread waits, before it takes the lock, until the flag has another value.
//
// To write down each access costs too much for programs that never poll in this way. So an execution is
// watched only where its plan says so (Policy::waiting), and the search starts over with such plans once it
// has met an idle round. To find one, an execution that becomes long is run once more as a trial: it goes on
// as before, and its accesses are written down. The longer executions may be without one, the later the next
// trial.
//
// All accesses stand in one log, in their order, each with the bytes that were there: what was read, or what
// was to be overwritten. A visit is a call that the thread has arrived at, with the place in the log. When
// the thread arrives in the same state, the log from there on is the round. The visit compared with is the
// last one numbered by a power of two (Brent's cycle finding), which finds rounds of several turns as well.
//
// Where it is stricter than the definition, the round counts as ordinary, which leaves out no schedule: more
// than kEntriesMax accesses, bytes that were read and partly written by the round itself, an atomic operation
// of 16 bytes, an allocation that made the heap grow.
//
// Tested by tests/programs/{correct,wrong}/polling.
#pragma once

#include <cstdint>
#include <vector>

#include "model/event.hpp"
#include "model/plan.hpp"
#include "model/trace.hpp"
#include "runtime/base/forever.hpp"
#include "runtime/base/thread.hpp"
#include "runtime/base/word_map.hpp"
#include "runtime/threads/spin.hpp"

namespace thrum {

class RoundDetector {
 public:
  // Whether the execution that runs is watched, whether only for a trial, and whether its threads wait after
  // idle rounds.
  enum class Mode : std::uint8_t { off, trial, on };

  constexpr RoundDetector() = default;

  // An execution of a plan begins. Forgets the one before.
  void begin(Waiting waiting);
  Mode mode() const { return mode_; }
  bool is_on() const { return mode_ == Mode::on; }

  // What plans of this search are to say. It only ever changes from `spins`; then the search starts over.
  Waiting waiting() const { return waiting_; }
  void use(Waiting waiting) { waiting_ = waiting; }

  // The number of steps (of `limit` that it may do, 0: any number) after which end_of_steps() is to be asked.
  std::uint64_t steps_to_trial(std::uint64_t limit) const;
  // The execution has done as many steps as steps_to_trial() said. True where it is to be run anew, because a
  // trial is to begin or has ended; false where the limit was met.
  bool turns_at(std::uint64_t steps);

  // What the running thread does, in the order of the execution. REQUIRES: mode() is not off.
  void note_plain_read(const Thread& thread, std::uint64_t address, std::uint64_t size);
  // Before the bytes change.
  void note_plain_write(const Thread& thread, std::uint64_t address, std::uint64_t size);
  // The thread's pending operation is done. changes: it is no mere read. value: what the object held before,
  // of an atomic operation.
  void note_operation(const Thread& thread, bool changes, std::uint64_t value, Outcome outcome);
  // It read an object that is no memory.
  void note_read_of(const Thread& thread, std::uint64_t object);
  // A block of that size class; grown: it is memory that was never used.
  void note_allocation(const Thread& thread, std::uint64_t block, std::uint64_t size,
                       std::uint32_t size_class, bool grown);
  void note_release(const Thread& thread, std::uint64_t block, std::uint64_t size, std::uint32_t size_class);
  // It changed something that does not stand in the log: what it did before belongs to no idle round.
  void note_opaque(const Thread& thread);
  // An object that is no memory has changed, such as the clock.
  void note_change_of(std::uint64_t object) { ++changes_[object]; }
  void note_switch() { ++switches_; }
  void note_wait(const Thread& thread) { ++of(thread).waits; }

  // The thread arrives at a call (code: its return address). True where that ends an idle round.
  bool arrive(const Thread& thread, std::uint64_t code, const CallerState& caller);
  // Likewise at a plain read, of which a loop may consist that waits for plain memory. Looked at only where
  // the thread has come to no operation for many reads.
  bool arrive_at_plain_read(const Thread& thread, std::uint64_t code, const CallerState& caller);
  // Whether the round that arrive() has just found is to be proved first, as SpinDetector::unproved().
  bool unproved(const Thread& thread, std::uint64_t code) const;
  void prove(std::uint64_t code) { proved_.add(code); }

  // Whether a thread that waits after an idle round may go on: something that the round read has another
  // value now (Waiting::changed), or has had one (Waiting::written).
  bool released(const Thread& thread);
  // These three as in SpinDetector.
  bool reads_clock(const Thread& thread) const;
  bool give_another_round(const Thread& thread);
  void forget_round(const Thread& thread) { of(thread).round_given_at = kNoRound; }
  void add_watched(const Thread& thread, std::uint32_t event, std::vector<Watched>& watches) const;

  // Whether the last idle rounds of two threads that wait touch each other: one wrote what the other read,
  // even if only for a moment. Then each alone tells nothing of both together.
  bool interferes(const Thread& one, const Thread& other) const;

 private:
  static constexpr std::uint64_t kNoRound = ~std::uint64_t{0};
  enum class Kind : std::uint8_t { read, write, take, give, attempt, allocate, release };
  struct Entry {
    std::uint64_t object;
    std::uint32_t size;   // of allocate and release: the size class
    std::uint32_t bytes;  // where in bytes_ what was there begins; of the others: the block's size
    std::uint16_t slot;
    Kind kind;
    Wait needs;  // attempt: what it would have had to wait for
    bool flag;   // attempt: it succeeded; allocate: the heap grew
  };
  // What a waiting thread's round read.
  struct Watch {
    std::uint64_t object;
    std::uint32_t size;     // of memory; 0: of the object that an attempt was made on, or another
    std::uint32_t bytes;    // where in PerThread::values what was read lies
    std::uint64_t changes;  // of an object that is neither: how often it had been changed
    Wait needs;             // of an attempt
    bool succeeded;         // likewise
    std::uint64_t time;     // when it was read, as now()
  };
  struct Span {
    std::uint64_t object;
    std::uint32_t size;
  };
  struct Visit {
    std::uint64_t code;
    std::uint64_t stack_pointer;
    std::uint64_t begin;  // in the log, counted from the execution's beginning
    std::uint64_t switches;
    std::uint64_t waits;
    std::uint32_t events;  // of its thread
    std::uint32_t count;
    int error;  // errno
    std::uint64_t modes;
    LoopState state;
  };
  struct PerThread {
    std::vector<Visit> visits;
    std::size_t visit_count = 0;
    std::uint64_t waits = 0;
    std::uint32_t events = kNoEvents;  // that the thread had done at its last plain read ...
    std::uint32_t plain_reads = 0;     // ... and plain reads since
    bool only_reads = false;           // it wrote nothing
    bool alone = false;                // nobody else ran in that round, and its thread did not wait
    std::vector<Watch> watches;
    std::vector<char> values;
    std::vector<Span> written;    // by the last idle round, locks that it took included
    std::uint64_t looked_at = 0;  // Waiting::written: up to there the log holds no write of what was read ...
    bool was_released = false;    // ... or it does
    std::uint64_t round_given_at = kNoRound;  // effects_ then

    void see_present_values();
  };
  class Judge;

  PerThread& of(const Thread& thread);
  const PerThread& of(const Thread& thread) const { return const_cast<RoundDetector*>(this)->of(thread); }
  std::uint64_t now() const { return forgotten_ + log_.size(); }
  Entry& add(const Thread& thread, Kind kind, std::uint64_t object, std::uint64_t size);
  void keep_bytes(Entry& entry, const void* bytes);
  void note_memory(const Thread& thread, Kind kind, std::uint64_t address, std::uint64_t size);
  void forget_log();
  enum class Place : std::uint8_t { operation, plain_read };
  bool arrive(Place place, const Thread& thread, std::uint64_t code, const CallerState& caller);
  bool ends_idle_round(Place place, const Thread& thread, Visit& visit);
  bool has_other_value(const Watch& watch, const PerThread& mine) const;
  bool was_written(const Thread& thread, PerThread& mine) const;
  void end_trial();
  [[noreturn]] void found();

  Mode mode_ = Mode::off;
  Waiting waiting_ = Waiting::spins;
  Waiting rule_ = Waiting::spins;  // of the execution that runs
  bool is_trial_ = false;          // the next execution is one
  std::uint64_t trial_after_ = kFirstTrial;
  std::vector<Entry> log_;
  std::vector<char> bytes_;
  std::uint64_t forgotten_ = 0;  // entries that the log no longer holds
  std::uint64_t switches_ = 0;
  std::uint64_t effects_ = 0;  // writes and the like, without those of idle rounds
  std::vector<PerThread> threads_;
  WordMap changes_;  // of objects that are no memory: how often so far
  CodeSet proved_;
  WordMap words_;  // of the round that is judged: which bytes of each word it has written so far

  static constexpr std::uint64_t kFirstTrial = 8'192;  // steps
  static constexpr std::uint64_t kTrialSteps = 4;      // times as many are done in a trial
  static constexpr std::uint64_t kNextTrial = 16;      // times as many steps until the next one
  static constexpr std::uint32_t kNoEvents = 0xffffffff;
  static constexpr std::uint32_t kPlainReads =
      4'096;  // after which a stretch without an operation is looked at
  static constexpr std::size_t kVisitsMax = 64;
  static constexpr std::size_t kEntriesMax = 1 << 14;  // of a round
  static constexpr std::size_t kLogMax = 1 << 21;
  static constexpr std::uint64_t kStackMax = 1 << 16;
  static constexpr std::uint32_t kSizeMax = 1 << 12;  // of an access
};

extern constinit Forever<RoundDetector> the_round_detector;
inline RoundDetector& round_detector() { return the_round_detector.value; }

}  // namespace thrum
