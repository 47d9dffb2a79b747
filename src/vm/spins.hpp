// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Spins: rounds of waiting loops that only read (docs/semantics.md, "Loops, fairness, livelock").
//
// A thread comes back to the same operation with the same live registers in all its frames, and no word that
// it wrote since then has another value than it had (loop_states.hpp). If it did no operation in between that
// changes something, the round was a spin: the thread does the same again until something that it read is
// written.
//
// Example: while (!ready.load()) {} reads once, comes back, and waits for a write to ready.
//
// Taking the state at each load would cost too much. So a place in the code is watched only after a thread
// came back there with nothing changed in between. When such a place is found, the execution begins again
// with the place watched. Executions that never came back there are the same either way, so a plan keeps its
// meaning. The state is compared with that of the last visit whose number is a power of two (Brent's cycle
// finding), which also finds loops that alternate between several states.
//
// What a round reads besides its operations is not watched: memory that library code reads, races that are
// allowed or not looked for. So a thread that waits when nothing else can run gets one more round. If it goes
// on though nothing was written that it waited for, its place is an ordinary one from then on, and the search
// begins again.
//
// None of this is part of the program's state: a search that knows states sees a waiting loop as a cycle.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "model/trace.hpp"
#include "support/bytes.hpp"
#include "vm/loop_states.hpp"
#include "vm/thread.hpp"

namespace thrum::vm {

class Spins {
 public:
  explicit Spins(LoopStates& states) : states_(states) {}

  // An execution begins. is_on: spins are looked for. by_value: a thread waits until something that it read
  // has another value than it read; else until it is written (Waiting::values).
  void begin(bool is_on, bool by_value);

  // Whether states of threads may have to be compared.
  bool needs_states() const { return !watched_.empty(); }

  // What is known of the execution, to come back to.
  struct Moment;
  Moment mark() const;
  void undo(const Moment& moment);

  enum class Arrival : std::uint8_t { ordinary, spins, begin_again };
  // The thread stands before its pending operation. spins: it has come back by a round that changed nothing,
  // and waits until released(). begin_again: the execution is to begin again, with one more place watched.
  Arrival arrive(const Thread& thread);

  // The thread has done its pending operation, and has changed nothing. value: that it read; nothing: its
  // object is no memory.
  void note_read(const Thread& thread, std::optional<std::uint64_t> value);
  // The thread has done something that others may see, or has made a choice: no round reaches back beyond
  // this.
  void note_change(const Thread& thread);
  // The thread waited for a time or a wake-up.
  void note_wait(const Thread& thread) {
    if (!is_on_) return;
    ++of(thread).waits;
    of(thread).depends_on_time = true;
  }
  // Whether it has waited for a time, or read the clock, since its last change: its next round may go on by
  // itself.
  bool depends_on_time(const Thread& thread) const { return of(thread).depends_on_time; }
  // Somebody has written these bytes, or something else has changed.
  void note_write(std::uint64_t object, std::uint32_t size);

  // Whether something that the waiting thread's round read was written since, or has another value.
  bool released(const Thread& thread) const;
  bool reads_clock(const Thread& thread) const;
  // The bytes for whose change the thread waits, which does that event next.
  void add_watched(const Thread& thread, std::uint32_t event, std::vector<Watched>& watches) const;

  // Lets a waiting thread run one more round though nothing that it read was written. False if it has had
  // such a round since the last write.
  bool give_another_round(const Thread& thread);
  // A thread that had such a round went on with something else, though nothing that it waited for was
  // written: its loop does not wait. What was searched so far may lack schedules.
  bool went_on_unseen() const { return went_on_unseen_; }

  // What was learned, for a process that goes on with the search, or with another part of it.
  void write_learned(ByteWriter& out) const;
  void add_learned(ByteReader& in);

 private:
  static constexpr std::size_t kVisitsMax = 64;  // a loop with more visits in a round is an ordinary one
  static constexpr std::size_t kReadsMax = 4096;
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  struct Read {
    std::uint64_t object;
    std::uint32_t size;
    bool by_value;
    std::uint64_t value;
    std::uint64_t writes_before;  // how many writes there were when it was read
  };
  struct Visit {
    std::uint64_t code;
    const Frame* frame;
    std::uint64_t count;
    LoopStates::Moment begin;  // when its state was taken
    std::size_t first_read;    // since then, or since the last round that came to nothing
    std::uint64_t switches;    // at first_read
    std::uint64_t waits;
    bool has_state;
    LoopStates::Registers registers;
  };
  struct PerThread {
    std::vector<Visit> visits;  // since its last change
    std::size_t visit_count = 0;
    std::vector<Read> reads;
    std::vector<Read> waits_for;
    std::uint64_t waits = 0;
    bool depends_on_time = false;
    std::uint64_t round_given_at = kNever;  // how many writes there were
    bool has_round = false;                 // and it has not come back
    mutable std::size_t looked_at = 0;      // writes_ up to there are no writes of what it waits for
    mutable bool was_released = false;
  };
  struct Span {
    std::uint64_t object;
    std::uint32_t size;
  };

  PerThread& of(const Thread& thread);
  const PerThread& of(const Thread& thread) const { return const_cast<Spins*>(this)->of(thread); }
  Visit* find(PerThread& mine, const Thread& thread) const;
  Arrival visit_first(PerThread& mine, const Thread& thread);
  void take(Visit& visit, const PerThread& mine, const Thread& thread);
  void begin_reads(Visit& visit, const PerThread& mine) const;
  static void see_present_values(PerThread& mine);
  void end_round(const Thread& thread, PerThread& mine);

  LoopStates& states_;
  // What is learned, for all executions.
  std::unordered_set<std::uint64_t> watched_;
  std::unordered_set<std::uint64_t> never_;
  bool went_on_unseen_ = false;

  // Of the execution.
  bool is_on_ = true;
  bool by_value_ = false;
  std::vector<PerThread> threads_;  // by slot
  std::vector<Span> writes_;
};

struct Spins::Moment {
  std::vector<PerThread> threads;
  std::vector<Span> writes;
};

inline Spins::Moment Spins::mark() const { return {threads_, writes_}; }

inline void Spins::undo(const Moment& moment) {
  threads_ = moment.threads;
  writes_ = moment.writes;
}

}  // namespace thrum::vm
