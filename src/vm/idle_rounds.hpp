// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Idle rounds: rounds of a waiting loop that write, but leave everything as it was, such as polling under a
// lock (docs/semantics.md, "Loops, fairness, livelock"). Rounds that only read are spins (spins.hpp).
//
// A thread comes back to the same operation with the same live registers; each word that it overwrote holds,
// behind its last write, what it held before its first one (loop_states.hpp); it has given back each lock
// that it took; and nobody saw a value in between. Then the execution without this round has the same end. So
// the thread waits until something that the round read would give another value.
//
// Example: while (!is_done()) {} where is_done() takes a lock, reads a flag and releases the lock. The thread
// waits, before it takes the lock, until the flag has another value.
//
// Who saw what is in a log of all operations and instrumented accesses. It costs too much for programs that
// never poll in this way, so an execution is watched only if its plan says so (Policy::waiting). To find the
// first idle round, an execution that becomes long is run again as a trial: as before, but with the log. Once
// there is one, the search begins again with such plans.
//
// A visit is the arrival of a thread at an operation. Its state is compared with that of the last visit whose
// number is a power of two (Brent's cycle finding), which also finds rounds of several turns.
//
// A round of more than kEntriesMax accesses counts as ordinary, which leaves out no schedule.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/policy.hpp"
#include "model/trace.hpp"
#include "vm/loop_states.hpp"
#include "vm/memory.hpp"
#include "vm/thread.hpp"

namespace thrum::vm {

class IdleRounds {
 public:
  explicit IdleRounds(LoopStates& states) : states_(states) {}

  // An execution begins, whose plan says how threads wait. again: the one before was given up, to begin
  // again.
  void begin(Waiting waiting, bool again);
  // Whether actions are to be noted; whether threads wait behind idle rounds.
  bool is_noting() const { return mode_ != Mode::off; }
  bool is_on() const { return mode_ == Mode::on; }

  // What is known of the execution, to come back to.
  struct Moment;
  Moment mark() const;
  void undo(const Moment& moment);

  // How plans of this search should have it. It only ever changes from `spins`; then the search begins again.
  Waiting waiting() const { return waiting_; }
  void use(Waiting waiting) { waiting_ = waiting; }

  // After how many steps of the execution turns_at() is to be asked. limit: the steps that it may do.
  std::uint64_t steps_to_trial(std::uint64_t limit) const;
  // Whether it is to run again, because a trial begins or has ended.
  bool turns_at(std::uint64_t steps);

  // The actions of the running thread. REQUIRES: is_noting().
  void note_plain(const Thread& thread, bool writes, std::uint64_t address, std::uint64_t size);
  // It has done its pending operation. changes: more than a read. value: that the object had.
  void note_operation(const Thread& thread, bool changes, std::uint64_t value, Outcome outcome);
  // It has read something that is no memory.
  void note_read_of(const Thread& thread, std::uint64_t object);
  // It has changed something that the log does not hold, or has made a choice.
  void note_opaque(const Thread& thread);
  void note_wait(const Thread& thread) { ++of(thread).waits; }
  // Something that is no memory has changed, such as the clock.
  void note_change_of(std::uint64_t object) {
    ++changes_[object];
    ++effects_;
  }

  // The thread is about to read plain memory. Whether it has done so often since its last operation that it
  // may be in a loop that waits for that.
  bool is_due_at_plain_read(const Thread& thread);

  enum class Arrival : std::uint8_t { ordinary, waits, found };
  // The thread stands before its pending operation. waits: an idle round ends there. found: the same in a
  // trial.
  Arrival arrive(const Thread& thread);
  // Whether its last idle round waited for a time, or read the clock: its next round may go on by itself.
  bool depends_on_time(const Thread& thread) const { return of(thread).depends_on_time; }
  // Whether the thread, which waits, may go on: something that its round read has another value now
  // (Waiting::changed), or was written (Waiting::written).
  bool released(const Thread& thread) const;
  bool reads_clock(const Thread& thread) const;
  void add_watched(const Thread& thread, std::uint32_t event, std::vector<Watched>& watches) const;
  // What the thread did so far belongs to none of its rounds from now on.
  void begin_trial(const Thread& thread) { of(thread).visit_count = 0; }
  // As in Spins.
  bool give_another_round(const Thread& thread);
  // Whether one of the threads wrote in its last idle round, even if only for a moment, what the other one
  // read. Then their rounds, each alone, say nothing about both together.
  bool interfere(const Thread& one, const Thread& other) const;

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  static constexpr std::uint64_t kFirstTrial = 8'192;  // steps
  static constexpr std::uint64_t kTrialSteps = 4;      // a trial lasts as many times the steps done before
  static constexpr std::uint64_t kNextTrial = 16;      // the next one begins after as many times the steps
  static constexpr std::size_t kVisitsMax = 64;
  static constexpr std::size_t kEntriesMax = 1 << 14;  // of a round
  static constexpr std::size_t kLogMax = 1 << 21;
  static constexpr std::uint64_t kSizeMax = 1 << 12;   // of an access
  static constexpr std::uint32_t kPlainReads = 4'096;  // without an operation: then they are looked at

  enum class Mode : std::uint8_t { off, trial, on };
  enum class Kind : std::uint8_t { read, write, take, give, attempt };
  struct Entry {
    std::uint64_t object;
    std::uint32_t size;  // of memory; 0: something else
    std::uint32_t
        bytes;  // of a read: where its value begins in bytes_; of what is no memory: how often it changed
    std::uint16_t slot;
    Kind kind;
    Wait needs;      // attempt: what a blocking call would wait for
    bool succeeded;  // attempt
  };
  struct Watch {
    std::uint64_t object;
    std::uint32_t size;
    std::uint32_t bytes;  // in PerThread::values; of what is no memory: how often it had changed
    Wait needs;
    bool succeeded;
    std::uint64_t time;  // as now()
  };
  struct Span {
    std::uint64_t object;
    std::uint32_t size;
  };
  struct Visit {
    std::uint64_t code;
    const Frame* frame;
    std::uint64_t count;
    std::uint64_t begin;  // in the log, as now()
    std::uint64_t switches;
    std::uint64_t waits;
    std::uint32_t events;  // that the thread had done
    LoopStates::Moment moment;
    bool has_state;
    LoopStates::Registers registers;
  };
  struct PerThread {
    std::vector<Visit> visits;
    std::size_t visit_count = 0;
    std::uint64_t waits = 0;
    std::uint32_t events = ~std::uint32_t{0};  // that it had done at its last plain read
    std::uint32_t plain_reads = 0;             // since then
    // Of the last idle round.
    std::vector<Watch> watches;
    std::vector<char> values;
    std::vector<Span> written;  // locks included
    bool depends_on_time = false;
    std::uint64_t round_given_at = kNever;
    std::uint64_t discounted = 0;  // effects up to there in the log do not count in effects_ any more
    mutable std::uint64_t looked_at = 0;
    mutable bool was_released = false;
    mutable std::uint64_t stack_looked_at = 0;
    mutable bool stack_was_written = false;

    void see_present_values();
  };
  class Judge;

  PerThread& of(const Thread& thread);
  const PerThread& of(const Thread& thread) const { return const_cast<IdleRounds*>(this)->of(thread); }
  std::uint64_t now() const { return forgotten_ + log_.size(); }
  Entry& add(const Thread& thread, Kind kind, std::uint64_t object, std::uint64_t size);
  void note_memory(const Thread& thread, Kind kind, std::uint64_t object, std::uint32_t size,
                   const void* value);
  void forget_log();
  void end_trial();
  bool is_idle(const Thread& thread, PerThread& mine, const Visit& visit);
  void take(const Thread& thread, PerThread& mine, Visit& visit);
  bool has_other_value(const Watch& watch, const PerThread& mine) const;
  bool was_written(const Thread& thread, const PerThread& mine) const;
  bool stack_was_written(const Thread& thread, const PerThread& mine) const;
  std::uint64_t changes_of(std::uint64_t object) const;

  LoopStates& states_;
  // What is learned, for all executions.
  Waiting waiting_ = Waiting::spins;
  bool is_trial_ = false;  // the next execution is one
  std::uint64_t trial_after_ = kFirstTrial;

  // Of the execution.
  Mode mode_ = Mode::off;
  Waiting rule_ = Waiting::spins;
  std::vector<Entry> log_;
  std::vector<char> bytes_;
  std::uint64_t forgotten_ = 0;  // entries that the log no longer holds
  std::uint64_t effects_ = 0;    // writes, except those of idle rounds
  std::vector<PerThread> threads_;
  std::unordered_map<std::uint64_t, std::uint64_t> changes_;  // of what is no memory
  // Of the round that is judged, by word, and by ~object for locks: the bytes that it has written so far, and
  // the place of its last write.
  std::unordered_map<std::uint64_t, std::uint64_t> words_;
  std::unordered_map<std::uint64_t, std::size_t> last_writes_;
};

struct IdleRounds::Moment {
  std::vector<Entry> log;
  std::vector<char> bytes;
  std::uint64_t forgotten;
  std::uint64_t effects;
  std::vector<PerThread> threads;
  std::unordered_map<std::uint64_t, std::uint64_t> changes;
};

inline IdleRounds::Moment IdleRounds::mark() const {
  if (mode_ == Mode::off) return {};
  return {log_, bytes_, forgotten_, effects_, threads_, changes_};
}

inline void IdleRounds::undo(const Moment& moment) {
  if (mode_ == Mode::off) return;
  log_ = moment.log;
  bytes_ = moment.bytes;
  forgotten_ = moment.forgotten;
  effects_ = moment.effects;
  threads_ = moment.threads;
  changes_ = moment.changes;
}

// Whether the operation, an attempt, fails if its object is not free.
bool is_attempt(Operation operation);
// Whether an object is free for what waits in that way.
bool is_free(Wait wait, std::uint64_t object);

}  // namespace thrum::vm
