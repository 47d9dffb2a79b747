// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Idle rounds: rounds of a waiting loop that write, but leave everything as it was, such as polling under a
// lock (docs/semantics.md, "Loops, fairness, livelock"). SpinDetector (spin.hpp) finds loops that only read.
//
// The idea. A thread comes back to the same call with the same registers and the same live stack. All memory
// that it wrote since then has its old value again, by its own writes. It has released each lock that it took
// and freed each block that it allocated. No other thread saw a value in between. Then the execution without
// this round has the same end. So the thread waits: it need not run the round again while everything that the
// round read is unchanged. The round itself stays in the execution and is checked like any other code.
//
// Example: while (!is_done()) {} where is_done() takes a lock, reads a flag and releases the lock. The round
// reads the flag once; the thread waits, before it takes the lock, until the flag has another value.
//
// Recording each access costs too much for programs that never poll in this way. So an execution is watched
// only if its plan says so (Policy::waiting). Once the search has met an idle round, it begins again with
// such plans. To find the first idle round, an execution that becomes long is run again as a trial: it runs
// as before, but its accesses are recorded. The longer the executions are, the later the next trial.
//
// One log holds all accesses in their order. Each entry has the bytes that were read or that were to be
// overwritten. A visit is the arrival of a thread at a call, with its place in the log. When the thread
// arrives in the same state again, the round is the log from that place on. The state is compared with that
// of the last visit whose number is a power of two (Brent's cycle finding), which also finds rounds of
// several turns.
//
// In some cases a round that meets the definition counts as ordinary, which leaves out no schedule: more than
// kEntriesMax accesses; bytes that were read and partly written by the round itself; an atomic operation of
// 16 bytes; an allocation that made the heap grow.
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
#include "support/number_set.hpp"

namespace thrum {

class RoundDetector {
 public:
  // Whether the running execution is watched: not at all, only for a trial, or so that its threads wait after
  // idle rounds.
  enum class Mode : std::uint8_t { off, trial, on };

  constexpr RoundDetector() = default;

  // An execution of a plan begins: forgets the one before.
  void begin(Waiting waiting);
  Mode mode() const { return mode_; }
  bool is_on() const { return mode_ == Mode::on; }

  // The mode for plans of this search. It only ever changes from `spins`; then the search begins again.
  Waiting waiting() const { return waiting_; }
  void use(Waiting waiting) { waiting_ = waiting; }

  // After how many steps end_of_steps() is called. limit: the steps that the execution may do; 0: any number.
  std::uint64_t steps_to_trial(std::uint64_t limit) const;
  // The execution has done as many steps as steps_to_trial() said. True if it has to run again, because a
  // trial begins or has ended; false if it has reached its limit.
  bool turns_at(std::uint64_t steps);

  // The actions of the running thread, in the order of the execution. REQUIRES: mode() is not off.
  void note_plain_read(const Thread& thread, std::uint64_t address, std::uint64_t size);
  // Called before the bytes change.
  void note_plain_write(const Thread& thread, std::uint64_t address, std::uint64_t size);
  // The thread has done its pending operation. changes: it is more than a read. value: of an atomic
  // operation, the old value of the object.
  void note_operation(const Thread& thread, bool changes, std::uint64_t value, Outcome outcome);
  // The thread read an object that is not memory.
  void note_read_of(const Thread& thread, std::uint64_t object);
  // A block of that size class was allocated. grown: its memory was never used before.
  void note_allocation(const Thread& thread, std::uint64_t block, std::uint64_t size,
                       std::uint32_t size_class, bool grown);
  void note_release(const Thread& thread, std::uint64_t block, std::uint64_t size, std::uint32_t size_class);
  // The thread changed something that the log does not hold: no idle round reaches back beyond this.
  void note_opaque(const Thread& thread);
  // An object that is not memory has changed, such as the clock.
  void note_change_of(std::uint64_t object) { ++changes_[object]; }
  void note_switch() { ++switches_; }
  void note_wait(const Thread& thread) { ++of(thread).waits; }

  // The thread arrives at a call (code: its return address). True if that ends an idle round.
  bool arrive(const Thread& thread, std::uint64_t code, const CallerState& caller);
  // The same at a plain read, for loops that wait for plain memory. Checked only if the thread has done many
  // reads since its last operation.
  bool arrive_at_plain_read(const Thread& thread, std::uint64_t code, const CallerState& caller);
  // What the thread did so far belongs to none of its rounds from now on.
  void begin_trial(const Thread& thread) { of(thread).visit_count = 0; }
  // Whether the round that arrive() has just found has to be proved first, as SpinDetector::unproved() says.
  bool unproved(const Thread& thread, std::uint64_t code) const;
  void prove(std::uint64_t code) { proved_.insert(code); }

  // Whether a thread that waits after an idle round may go on: something that the round read has another
  // value now (Waiting::changed), or had one for a time (Waiting::written).
  bool released(const Thread& thread);
  void add_loops(LoopList& loops) const;
  // These three as in SpinDetector.
  bool reads_clock(const Thread& thread) const;
  // Whether its last idle round waited for a time, or read the clock: its next round may go on by itself.
  bool depends_on_time(const Thread& thread) const { return of(thread).depends_on_time; }
  bool give_another_round(const Thread& thread);
  void forget_round(const Thread& thread) { of(thread).round_given_at = kNoRound; }
  void add_watched(const Thread& thread, std::uint32_t event, std::vector<Watched>& watches) const;

  // Whether the last idle rounds of two waiting threads interfere: one wrote what the other read, even if
  // only for a moment. Then the rounds alone say nothing about both together.
  bool interferes(const Thread& one, const Thread& other) const;

 private:
  static constexpr std::uint64_t kNoRound = ~std::uint64_t{0};
  enum class Kind : std::uint8_t { read, write, take, give, attempt, allocate, release };
  struct Entry {
    std::uint64_t object;
    std::uint32_t size;   // of allocate and release: the size class
    std::uint32_t bytes;  // index in bytes_ of the old content; of allocate and release: the block's size
    std::uint16_t slot;
    Kind kind;
    Wait needs;  // attempt: what a blocking call would wait for
    bool flag;   // attempt: it succeeded; allocate: the heap grew
  };
  // Something that a waiting thread's round read.
  struct Watch {
    std::uint64_t object;
    std::uint32_t size;     // of memory; 0: another object, or the object of an attempt
    std::uint32_t bytes;    // index in PerThread::values of the value that was read
    std::uint64_t changes;  // of an object that is neither: how often it had changed
    Wait needs;             // of an attempt
    bool succeeded;         // of an attempt
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
    std::uint32_t events;  // that the thread had done
    std::uint32_t count;
    int error;  // errno
    std::uint64_t modes;
    LoopState state;
  };
  struct PerThread {
    std::vector<Visit> visits;
    std::size_t visit_count = 0;
    std::uint64_t waits = 0;
    std::uint32_t events = kNoEvents;  // that it had done at its last plain read
    std::uint32_t plain_reads = 0;     // plain reads since then
    bool only_reads = false;           // its round wrote nothing
    bool depends_on_time = false;      // of the last idle round
    std::uint64_t discounted = 0;      // effects up to there in the log do not count in effects_ any more
    bool alone = false;                // no other thread ran in that round, and its own did not wait
    std::vector<Watch> watches;
    std::vector<char> values;
    std::vector<Span> written;    // by the last idle round, including the locks that it took
    std::uint64_t looked_at = 0;  // Waiting::written: searched up to there for a write of what was read
    bool was_released = false;    // such a write was found
    std::uint64_t round_given_at = kNoRound;  // effects_ at that time

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
  Waiting rule_ = Waiting::spins;  // of the running execution
  bool is_trial_ = false;          // the next execution is one
  std::uint64_t trial_after_ = kFirstTrial;
  std::vector<Entry> log_;
  std::vector<char> bytes_;
  std::uint64_t forgotten_ = 0;  // entries that the log no longer holds
  std::uint64_t switches_ = 0;
  std::uint64_t effects_ = 0;  // writes and other effects, except those of idle rounds
  std::vector<PerThread> threads_;
  WordMap changes_;  // how often each object that is not memory has changed
  NumberSet proved_;
  NumberSet idle_;       // calls at which threads waited
  WordMap last_writes_;  // Judge::find_last_writes()
  WordMap words_;        // of the round that is checked: which bytes of each word it has written so far

  static constexpr std::uint64_t kFirstTrial = 8'192;  // steps
  static constexpr std::uint64_t kTrialSteps = 4;      // a trial lasts as many times the steps done before
  static constexpr std::uint64_t kNextTrial = 16;      // the next trial begins after as many times the steps
  static constexpr std::uint32_t kNoEvents = 0xffffffff;
  static constexpr std::uint32_t kPlainReads =
      4'096;  // so many reads without an operation between them: then they are checked
  static constexpr std::size_t kVisitsMax = 64;
  static constexpr std::size_t kEntriesMax = 1 << 14;  // of a round
  static constexpr std::size_t kLogMax = 1 << 21;
  static constexpr std::uint64_t kStackMax = 1 << 16;
  static constexpr std::uint32_t kSizeMax = 1 << 12;  // of an access
};

extern constinit Forever<RoundDetector> the_round_detector;
inline RoundDetector& round_detector() { return the_round_detector.value; }

}  // namespace thrum
