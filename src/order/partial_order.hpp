// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The partial order of an execution: which of its events happen before which, by the table of dependence
// (model/event.hpp), and which pairs race, so that they could have come the other way round.
//
// A visible event is a step. What happens before a step: the thread's own steps before it; what its creator
// had done, and those whom it joined; the event that ended its wait; and each earlier event that it depends
// on. The first three cannot be otherwise and are the step's causes; the last are its rivals, as far as no
// other rival or cause comes between (races in the sense of Flanagan and Godefroid, POPL 2005, and of Abdulla
// et al., JACM 2017, definition 3.3).
//
// Vector clocks, a row for each step; so a question costs a comparison, and the steps of an execution can be
// taken back from the end and others put in their place, since executions one after the other mostly begin
// alike.
//
// Tested by partial_order_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/trace.hpp"
#include "order/dependence_filter.hpp"
#include "support/bytes.hpp"
#include "support/rows.hpp"

namespace thrum {

class PartialOrder {
 public:
  using Index = std::uint32_t;  // of a step, from 0
  using Clock = std::uint32_t;  // how many steps of a thread
  static constexpr Index kNone = 0xffffffff;

  // Takes back all but the first n steps, and what threads did behind them without a step.
  void truncate(Index n);

  // The next event of the execution. One that is not visible is no step, but may order others. by_chance: it
  // depends on every step. watches: what its waiting loop looked at; it depends on every change of that.
  void append(const Event& event, bool by_chance = false, std::span<const Watched> watches = {});

  // What append() was given.
  std::span<const Watched> watches(Index step) const;

  Index size() const { return static_cast<Index>(steps_.size()); }
  const Event& event(Index step) const { return steps_[step].event; }

  // Whether step a happens before step b, or is it. REQUIRES: a <= b
  bool ordered(Index a, Index b) const { return knows(row(b), a); }

  // Likewise, by causes alone.
  bool causes(Index a, Index b) const { return a == b || knows(causes_of(b), a); }

  // Whether the two steps depend on each other. REQUIRES: early < late, of different threads
  bool depend(Index early, Index late) const;

  // The steps of other threads that race with this one, the latest first.
  std::span<const Index> rivals(Index step) const;

  // A part of another order: of what is made so only ordered() is to be asked. before: for each step that is
  // there already whether it happens before this one, a bit each, from that bit on.
  void clear_restricted();
  void append_restricted(ThreadId thread, std::span<const std::uint64_t> before, std::size_t begin);

  // Of each thread whose steps happen before what the given one does next, the last such step. The latest
  // first.
  std::vector<Index> last_known(ThreadId thread);

  // The last step of the thread before the given one, or kNone.
  Index previous(Index step) const { return steps_[step].previous; }

  // Whether a step is there that append() was told to hold against every other, so that there are more orders
  // than classes.
  bool has_chance() const { return by_chance_ != 0; }

  // By the ids that threads have; to be read on the same machine.
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

  // A number that two executions share if and only if they are the same but for the order of independent
  // steps, as far as 64 bits can tell. The cost is that of the steps appended since it was asked for last.
  std::uint64_t fingerprint() const;

  // A set of steps that has with each step all that happens before it.
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
    bool by_chance;
    bool creates = false;  // a thread whose memory lies where the order of creation says
  };
  // Of a step, apart from the rest, since it is looked at for all steps in a row.
  struct Place {
    Clock local;  // counts the thread's steps, from 1
    ThreadId thread;
    bool only_loads;  // and so depends on no other load
    // Steps of two threads whose ranges do not meet do not depend on each other.
    std::uint64_t begin;
    std::uint64_t end;
  };
  static Place place_of(const Event& event, Clock local, bool needs_all);
  static DependenceFilter::Mark mark_of(const Place& place);
  // A thread is told what another knows: by its creator, or by whom it joined.
  struct Lesson {
    ThreadId thread;
    Index steps;          // that there were
    Index step;           // the teacher's last
    Index before;         // the thread's lesson before this one
    Index of_teacher;     // the teacher's last lesson
    std::uint64_t asked;  // asked_, when this was looked at last
  };

  const Clock* row(Index step) const { return clocks_.data() + std::size_t{2} * width_ * step; }
  const Clock* causes_of(Index step) const { return row(step) + width_; }
  Clock* row(Index step) { return clocks_.data() + std::size_t{2} * width_ * step; }
  bool knows(const Clock* clock, Index step) const {
    return clock[places_[step].thread] >= places_[step].local;
  }
  // REQUIRES: there is no room for the thread.
  void widen(ThreadId thread);
  void join(Clock* to, const Clock* from) const { take_maxima(to, from, width_); }
  bool depends(const Event& event, std::span<const Watched> watches, const Step& earlier) const;
  void append_hidden(const Event& event);
  void order_creation(const Event& event);
  void teach(ThreadId thread, ThreadId teacher);
  void add_lessons(Clock* clock, Index lesson, Index behind);
  void put_past(Clock* clock, ThreadId thread);
  std::uint64_t hash(Index step) const;
  void forget_hashes(Index from);

  static constexpr std::size_t kRowsAtATime = 64;  // steps

  std::size_t width_ = 0;  // threads that a clock has room for
  std::vector<Step> steps_;
  std::vector<Place> places_;
  DependenceFilter filter_;  // of the same steps
  std::vector<Index> wide_;  // steps that may depend on what touches other objects
  Index by_chance_ = 0;      // so many steps are
  // Two rows a step: what happens before it, and what of that causes it. And rows that were steps' or will
  // be.
  std::vector<Clock> clocks_;
  std::vector<Index> rivals_;
  std::vector<Watched> watches_;
  std::vector<Index> last_;  // of each thread
  std::vector<Lesson> lessons_;
  std::vector<Index> last_lesson_;             // of each thread
  std::uint64_t asked_ = 0;                    // so often, what a thread comes behind
  mutable std::vector<std::uint64_t> hashes_;  // fingerprint(): sums of those of the first steps
};

}  // namespace thrum
