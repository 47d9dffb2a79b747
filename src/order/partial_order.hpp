// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The partial order of an execution: which events happen before which, by the table of dependence
// (model/event.hpp), and which pairs of events race, so that they could come in the other order.
//
// A visible event is a step. These happen before a step: the thread's earlier steps; the steps that its
// creator had done, and those of the threads that it joined; the event that ended its wait; and each earlier
// event that it depends on. The first three kinds always come before it: they are its causes. An event of the
// last kind is a rival if no other rival and no cause lies between (a race in the sense of Flanagan and
// Godefroid, POPL 2005, and of Abdulla et al., JACM 2017, definition 3.3).
//
// Each step has a row of vector clocks, so a query is one comparison. Steps can be taken back from the end
// and replaced, since consecutive executions mostly begin alike.
//
// Tested by partial_order_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/trace.hpp"
#include "support/members.hpp"
#include "support/rows.hpp"

namespace thrum {

class PartialOrder {
 public:
  using Index = std::uint32_t;  // number of a step, from 0
  using Clock = std::uint32_t;  // number of steps of a thread
  static constexpr Index kNone = 0xffffffff;

  // Takes back all but the first n steps, and all hidden events after them.
  void truncate(Index n);

  // The next event of the execution. An invisible event is no step, but may order others. by_chance: the step
  // depends on every step. watches: what its waiting loop read; the step depends on every change of it.
  // condition: of an await; else 0.
  void append(const Event& event, bool by_chance = false, std::span<const Watched> watches = {},
              std::uint64_t condition = 0);

  // The watches given to append().
  std::span<const Watched> watches(Index step) const;

  // The condition given to append().
  std::uint64_t condition(Index step) const { return steps_[step].condition; }

  Index size() const { return static_cast<Index>(steps_.size()); }
  const Event& event(Index step) const { return steps_[step].event; }

  // Whether step a happens before step b, or is b. REQUIRES: a <= b
  bool ordered(Index a, Index b) const { return knows(row(b), a); }

  // The same, by causes alone.
  bool causes(Index a, Index b) const { return a == b || knows(causes_of(b), a); }

  // Whether the two steps depend on each other. REQUIRES: early < late, of different threads
  bool depend(Index early, Index late) const;

  // The steps of other threads that race with this one, the latest first.
  std::span<const Index> rivals(Index step) const;

  // For each thread: its last step that happens before the next step of the given thread. The latest first.
  std::vector<Index> last_known(ThreadId thread) const;

  // The last step of the thread before the given one, or kNone.
  Index previous(Index step) const { return steps_[step].previous; }
  // Whether the late step's operation was pending at the early step: its thread has no step between.
  bool was_pending(Index late, Index early) const {
    return previous(late) == kNone || previous(late) < early;
  }

  // Whether some step was appended as depending on every step (by_chance). Then there are more orders than
  // classes.
  bool has_chance() const { return by_chance_ != 0; }

  // Events have the ids of their threads.
  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.width_, self.steps_, self.places_, self.last_of_word_, self.by_chance_, self.clocks_,
                    self.rivals_, self.watches_, self.last_, self.lessons_, self.lesson_clocks_,
                    self.last_lesson_, self.hashes_);
  }

  // A number that two executions share if and only if they differ only in the order of independent steps, up
  // to collisions of 64 bits. Costs time only for steps appended since the last call.
  std::uint64_t fingerprint() const;

  // A set of steps that is closed under happens-before.
  class Past {
   public:
    void assign_causes_of(const PartialOrder& order, Index step) {
      clock_.resize(order.width_);
      copy_row(clock_.data(), order.causes_of(step), order.width_);
    }
    void add(const PartialOrder& order, Index step) { order.join(clock_.data(), order.row(step)); }
    bool has(const PartialOrder& order, Index step) const { return order.knows(clock_.data(), step); }

   private:
    std::vector<Clock> clock_;
  };

 private:
  struct Step {
    Event event;
    Index previous;  // of the same thread
    std::uint32_t rivals_begin;
    std::uint32_t watches_begin;
    std::uint64_t condition;
    bool by_chance;
    bool creates = false;  // it creates a thread whose memory depends on the order of creation
  };
  // Of a step; separate from Step, since it is read for all steps in a row.
  struct Place {
    Clock local;  // counts the thread's steps, from 1
    ThreadId thread;
    std::uint8_t word;  // a hash of the aligned eight bytes of the access; kAnyWord: there are others
    bool only_loads;    // then it depends on no other load
    Index before;       // the last step before it with the same word and only_loads, plus 1; 0: none
    // The range of the access. Steps of two threads with disjoint ranges do not depend on each other.
    std::uint64_t begin;
    std::uint64_t end;
  };
  static constexpr std::uint8_t kAnyWord = 64;
  static Place place_of(const Event& event, Clock local, bool needs_all);
  Index& last_of(const Place& place) { return last_of_word_[2 * place.word + (place.only_loads ? 1 : 0)]; }
  // A thread learns what another one knows: from its creator, or from a thread that it joined. The clock of
  // a lesson has all that the thread learned up to then.
  struct Lesson {
    ThreadId thread;
    Index steps;   // the number of steps at that time
    Index before;  // the thread's lesson before this one
  };

  const Clock* row(Index step) const { return clocks_.data() + std::size_t{2} * width_ * step; }
  const Clock* causes_of(Index step) const { return row(step) + width_; }
  Clock* row(Index step) { return clocks_.data() + std::size_t{2} * width_ * step; }
  const Clock* lesson_clock(Index lesson) const { return lesson_clocks_.data() + width_ * lesson; }
  Clock* lesson_clock(Index lesson) { return lesson_clocks_.data() + width_ * lesson; }
  bool knows(const Clock* clock, Index step) const {
    return clock[places_[step].thread] >= places_[step].local;
  }
  // REQUIRES: clocks have no room for the thread.
  void widen(ThreadId thread);
  void join(Clock* to, const Clock* from) const { take_maxima(to, from, width_); }
  bool depends(const Event& event, std::span<const Watched> watches, const Step& earlier) const;
  void append_hidden(const Event& event);
  void order_creation(const Event& event);
  void teach(ThreadId thread, ThreadId teacher);
  void put_past(Clock* clock, ThreadId thread) const;
  std::uint64_t hash(Index step) const;
  void forget_hashes(Index from) { hashes_.resize(hashes_.size() < from ? hashes_.size() : from); }

  static constexpr std::size_t kRowsAtATime = 64;  // steps

  std::size_t width_ = 0;  // threads that a clock has room for
  std::vector<Step> steps_;
  std::vector<Place> places_;
  // Of each word the last step that may change it, plus 1, and the last one that only loads.
  std::vector<Index> last_of_word_ = std::vector<Index>(2 * (kAnyWord + 1));
  Index by_chance_ = 0;  // number of steps that depend on every step
  // Two rows for each step: all steps that happen before it, and its causes. Also unused rows.
  std::vector<Clock> clocks_;
  std::vector<Index> rivals_;
  std::vector<Watched> watches_;
  std::vector<Index> last_;  // of each thread
  std::vector<Lesson> lessons_;
  std::vector<Clock> lesson_clocks_;           // a row for each
  std::vector<Index> last_lesson_;             // of each thread
  mutable std::vector<std::uint64_t> hashes_;  // fingerprint(): sums of the hashes of the first steps
};

}  // namespace thrum
