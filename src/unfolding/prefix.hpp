// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The prefix of a program's contextual unfolding that executions have shown, and its possible extensions.
//
// The idea. An event is one step of a thread: which condition of its thread it consumes, and which condition
// of an object it reads or consumes. Two executions that have the same step in the same past of that step
// share the event. So an event is a state that its thread can be in, with all that led there, and is met by
// one execution, in whatever order the rest of the program runs. An event that is not known to be in any
// execution, but whose conditions some configuration holds at once, is a possible extension: an execution
// that shows it can be planned.
//
// A step reads a condition if it changes nothing (a load, a failed compare-exchange); else it consumes it. A
// store does not depend on who has read what it overwrites, but comes behind them: asymmetric conflict. A
// thread's creation consumes the initial condition of the new thread's slot.
//
// Example: a writer and N readers of one cell have 2N + 1 events: each reader reads the initial value, or the
// writer's. Two executions show them all, where there are 2^N orders.
//
// Replicated. The same with place replication, an ordinary unfolding: a step that consumes a condition comes
// behind the reads of it that have happened, and is another event for each set of them. Then an event is a
// step with its past by dependence, as dpor has it: N readers and a writer have 2^N events of the writer.
//
// Source: Kahkonen, Heljanko, Testing Programs with Contextual Unfoldings, TECS 17(1), 2018; Kahkonen,
// Saarikivi, Heljanko, ASE 2012.
//
// Tested by tests/oracle/unfolding_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "model/plan.hpp"
#include "model/trace.hpp"
#include "support/interned.hpp"
#include "unfolding/condition_trees.hpp"
#include "unfolding/step_table.hpp"

namespace thrum {

class Prefix {
 public:
  using Slot = ConditionTrees::Slot;
  using Condition = ConditionTrees::Condition;
  using Event = ConditionTrees::Event;
  static constexpr std::uint32_t kNone = ConditionTrees::kNone;
  // A value of Entry::choices: the wait's time runs out, and the operation is not done.
  static constexpr std::uint32_t kTimeout = 1;
  enum class Mode : std::uint8_t { contextual, replicated };

  explicit Prefix(Mode mode = Mode::contextual) : mode_(mode) {}

  // What a slot holds.
  struct Mark {
    Slot slot;
    Condition condition;
  };
  // A thread's next operation.
  struct Next {
    StepTable::Number step = 0;  // as far as it is known before it is done
    Slot object = kNone;         // it reads or consumes its condition; kNone: it is the thread's own affair
    Slot joins = kNone;  // the thread that has to have ended. object is its slot, or kNone: whatever it did
    bool may_wait = false;  // until others do something
    bool timed = false;     // or until its time runs out: that is another event
  };
  using Cone = std::span<const Mark>;
  // What is known of an event.
  struct Entry {
    Condition before = kNone;  // of its thread
    Condition object = kNone;
    std::uint32_t choices = 0;       // number of the choices in its middle; 0: none
    std::uint32_t behind = 0;        // number of the set of reads that it comes behind; replicated
    bool is_done = false;            // an execution has shown it
    bool is_covered = false;         // or events that are this one with further choices, or behind reads
    bool is_in_vain = false;         // an execution was planned for it, and it has to wait there
    bool consumes = false;           // the object's condition; if it is done
    bool is_change = false;          // replicated: this or what it covers consumes the object's condition
    Condition after = kNone;         // of the thread, if it is done
    Condition object_after = kNone;  // if it is done and consumes
    std::uint32_t cone_begin = 0;
    std::uint32_t cone_size = 0;
    StepTable::Number step = 0;      // if it is done; else the pending one
    std::uint32_t events_after = 0;  // of the thread, if it is done
    Event next_variant = kNone;  // of those done that this one covers: the first one; of each, the next one
  };

  Slot open_thread(ThreadId thread);
  Slot open_object();
  const ConditionTrees& slots() const { return slots_; }
  // The order of all creations of threads, as an object: a creation takes its turn there first. Opens it.
  Slot creations();
  bool is_turn(Event event) const {
    const Condition object = events_[event].object;
    return creations_ != kNone && object != kNone && slots_.slot(object) == creations_;
  }
  ThreadId thread_of(Slot slot) const { return threads_[slot]; }
  const std::vector<Slot>& thread_slots() const { return thread_slots_; }
  // The thread that creates the thread of that slot; kNone: main, or it is not known.
  Slot creator(Slot thread) const;

  // The number of these choices.
  std::uint32_t number_of(std::span<const Departure> choices);
  const std::vector<Departure>& choices(std::uint32_t number) const { return choices_[number]; }

  const Entry& operator[](Event event) const { return events_[event]; }
  // What the thread does there.
  const thrum::Event& step(Event event) const { return steps_[events_[event].step]; }
  const thrum::Event& step_numbered(StepTable::Number step) const { return steps_[step]; }
  std::size_t size() const { return events_.size(); }
  std::uint64_t done() const { return done_; }

  const std::vector<Event>& reads(std::uint32_t behind) const { return read_sets_[behind]; }
  // The number of a set of reads of one condition; kNone: it is not known, and not to be added.
  std::uint32_t number_of_reads(std::vector<Event> reads, bool adds);

  Event find(Condition before, Condition object, std::uint32_t choices = 0, std::uint32_t behind = 0) const;
  // The same; if it is not known, it is new, and no extension that was foreseen.
  Event need(Condition before, Condition object, std::uint32_t choices, std::uint32_t behind,
             bool& is_foreseen);
  // Events that differ from it by further choices, or by reads that they come behind, are what executions
  // show.
  void cover(Event event);
  // Another choice than was made; it is new, or known.
  void add_alternative(Condition before, Condition object, std::uint32_t choices, std::uint32_t behind);
  bool is_left(Event event) const {
    const Entry& entry = events_[event];
    return !entry.is_done && !entry.is_covered && !entry.is_in_vain;
  }
  // How many events of the thread, at its condition or below it, are left; but for joins whatever was done.
  std::uint32_t left_below(Condition thread) const { return left_below_[thread]; }
  // Those at the condition.
  std::uint32_t left_at(Condition thread) const { return left_at_[thread]; }
  // An execution has shown the event. Finds the extensions behind it; none if it is the last one of each
  // execution that has it.
  void insert(Event event, const thrum::Event& shown, bool consumes, std::uint32_t events_after,
              bool is_last = false);

  bool has_next(Condition thread) const { return next_of_[thread] != kNone; }
  // What the thread does next there. Finds its extensions.
  void set_next(Condition thread, const thrum::Event& step, Next next);
  const Next& next(Condition thread) const { return nexts_[next_of_[thread]]; }
  const thrum::Event& next_step(Condition thread) const { return steps_[next(thread).step]; }
  // What was known before is that its time runs out.
  void learn_operation(Condition thread, const thrum::Event& step);
  // The thread waits in a loop there, and does nothing more in any execution that comes there: in others the
  // round's reads come later. The round read these conditions.
  void spin(Condition thread, const thrum::Event& next, std::vector<Mark> reads);
  struct Spin {
    Condition thread;
    StepTable::Number step;  // that it would do next
    std::vector<Mark> reads;

    template <typename Self>
    static auto members(Self& self) {
      return std::tie(self.thread, self.step, self.reads);
    }
  };
  const std::vector<Spin>& spins() const { return spins_; }
  // nullptr: it does not wait in a loop.
  const Spin* spin_at(Condition thread) const;
  // Whether some thread goes on there behind a round that has come to nothing. What the round has come to
  // may depend on what others have written to the thread's stack, so there may be executions in which it
  // goes on. They show nothing more than those without the round, so nothing is planned for them.
  bool passes_round(Cone cone) const;
  // The thread has ended there. Finds the joins that may come behind.
  void end(Condition thread);
  bool is_ended(Condition thread) const { return is_ended_[thread]; }
  // The thread has failed there, which ended the execution. So nothing comes behind what its last event made.
  void fail(Condition thread);
  bool is_failed(Condition thread) const { return is_failed_[thread]; }
  // Threads that have ended before, though the condition's past does not say so: they were joined whatever
  // they did.
  void set_ended_before(Condition thread, std::vector<Slot> ended) {
    ended_before_[thread] = std::move(ended);
    has_ended_before_[thread] = true;
  }
  const std::vector<Slot>& ended_before(Condition thread) const;
  // The extensions found since the last call, the last ones last.
  std::vector<Event>& targets() { return targets_; }
  // Joins of a thread whatever it did. They are shown where an execution comes to its end.
  const std::vector<Event>& late_joins() const { return late_; }

  // A thread's condition and an object's that can be held together, where the thread has to wait.
  struct Blocked {
    Condition thread;
    Condition object;
  };
  // So are those where a lock is held. Of other operations it is known when an execution has tried.
  void block(Event event) { blocked_.push_back({events_[event].before, events_[event].object}); }
  // An execution was planned for the event, and has not shown it.
  void give_up(Event event);
  const std::vector<Blocked>& blocked() const { return blocked_; }
  // Whether an execution has shown the thread's next operation with that condition of its object.
  bool goes_on(Condition thread, Condition object) const;

  // Whether at the thread's condition or below it the thread fails, ends the process, or waits in a loop.
  bool may_stop(Condition thread) const { return may_stop_[thread]; }

  // What has happened before the condition was there, as far as a slot is not as at the beginning.
  Cone cone_of(Condition condition) const;
  // What the slot holds there.
  Condition at(Cone cone, Slot slot) const;
  // Whether some configuration holds both. Then united() is the smallest; valid until the next call.
  bool joins(Cone a, Cone b);
  const std::vector<Mark>& united() const { return union_; }
  // Whether operations at the thread's condition or below it are on the slot. It may say so without need.
  bool may_touch(Condition thread, Slot slot) const { return (touched_[thread] & bit_of(slot)) != 0; }

  // Adds how the threads have ended that were joined whatever they did, so that all events of the marks can
  // be run; also: a thread that has ended, too. The marks of these slots stay. False: there is no way.
  bool add_ends(std::vector<Mark>& marks, std::span<const Mark> kept, Slot also = kNone);

  std::uint64_t pairs_tested() const { return pairs_; }
  // Of memory, about.
  std::uint64_t bytes() const;

  // The events of the cone, in an order in which they can be run: each thread as long as it can.
  // held: comes as late as it can; kNone: none. target: a turn of a creation that
  // comes behind them, which nobody chooses: it asks for an order of the others; kNone: none. False: there is
  // no such order, or none is known (knows_all_orders()).
  bool order(Cone cone, std::vector<Event>& order, Event held = kNone, Event target = kNone);
  // The visible events that the thread's condition waits for: once the last of them is done, the thread is
  // there at once, since nobody chooses when a thread is created or joined.
  std::vector<Event> chosen_before(Condition thread, Cone cone) const;
  // Whether the event has happened there.
  bool has(Cone cone, Event event) const {
    const Condition after = events_[event].after;
    return slots_.leads_to(after, at(cone, slots_.slot(after)));
  }
  // Whether the orders of creations that order() has looked at were exact: none of them was behind a join.
  bool knows_all_orders() const { return knows_all_orders_; }
  // What has happened before the event.
  std::vector<Mark> past(Event event) const;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.slots_, self.threads_, self.thread_slots_, self.creations_, self.steps_,
                    self.events_, self.marks_, self.known_, self.choices_, self.read_sets_, self.reads_of_,
                    self.changes_of_, self.next_of_, self.nexts_, self.spins_, self.spin_of_, self.is_ended_,
                    self.is_failed_, self.may_stop_, self.passed_round_, self.left_below_, self.left_at_,
                    self.ended_before_, self.has_ended_before_, self.touched_, self.targets_, self.late_,
                    self.blocked_, self.done_, self.pairs_, self.knows_all_orders_);
  }

 private:
  struct Key {
    Condition before;
    Condition object;
    std::uint32_t choices;
    std::uint32_t behind;
  };

  Cone cone(Event event) const {
    return {marks_.data() + events_[event].cone_begin, events_[event].cone_size};
  }
  bool reads_what_is_consumed(Cone a, Cone b) const;
  bool is_acyclic(Cone cone);
  void events_of(Cone cone, std::vector<Event>& events) const;
  // What comes before what in a list of events, by places in it.
  struct Order {
    struct Edge {
      std::uint32_t to;
      std::uint32_t next;  // of the same place; kNone: none
    };
    std::vector<std::uint32_t> before;  // how many come before it
    std::vector<std::uint32_t> first;   // edge of those behind it
    std::vector<Edge> edges;

    // kNone: it is none of them.
    void add(std::uint32_t one, std::uint32_t other);
    // What comes behind it need not wait for it any more. Calls with each that waits for nothing.
    template <typename Each>
    void take(std::uint32_t place, Each each);
  };
  // A map from numbers, emptied at once.
  class Places {
   public:
    void clear(std::size_t size) {
      if (entries_.size() < size) entries_.resize(size);
      ++stamp_;
    }
    void set(std::uint32_t number, std::uint32_t place) { entries_[number] = {stamp_, place}; }
    std::uint32_t find(std::uint32_t number) const {
      return entries_[number].stamp == stamp_ ? entries_[number].place : kNone;
    }

   private:
    struct Entry {
      std::uint32_t stamp = 0;
      std::uint32_t place = 0;
    };
    std::vector<Entry> entries_;
    std::uint32_t stamp_ = 0;
  };
  // What is left out: what orders an event of a thread behind the one before it.
  enum class Within : bool { nothing, threads };
  Order& order_of(const std::vector<Event>& events, Within within);
  Event chosen_at(Condition thread) const;
  void order_creations(Cone cone, const std::vector<Event>& events, Event target);
  void add_target(Event target, std::vector<Event>& events) const;
  static std::uint64_t bit_of(Slot slot) { return std::uint64_t{1} << slot % 64; }
  void note_stop(Condition thread);
  void extend_thread(Condition thread);
  void extend_object(Condition object);
  void add_behind(Condition thread, Condition object, Cone past, std::vector<Condition>& rest);
  void emit(Condition thread, Condition object);
  bool stand(Condition thread, Condition object) const;  // in union_
  void note_change(Event event);
  void note_read(Event event);
  void extend_behind(Condition thread, Condition object, std::vector<Mark> past, std::size_t from);
  bool is_held(std::uint64_t mutex, Condition object, ThreadId thread) const;
  bool can_be_done(const Next& next, Condition object) const;
  static std::size_t hash_of(const Key& key);
  void note_event(Event event);
  void count_left(const Entry& entry, bool more);
  Event add(const Key& key, Cone cone);
  Event add_targets(Condition thread, Condition object, std::uint32_t behind, Cone past);
  void grow();

  Mode mode_;
  ConditionTrees slots_;
  std::vector<ThreadId> threads_;  // by slot; kNoThread: an object
  std::vector<Slot> thread_slots_;
  Slot creations_ = kNone;
  StepTable steps_;
  std::vector<Entry> events_;
  std::vector<Mark> marks_;
  std::vector<Event> known_;  // a hash table of all events by their keys: open addressing, a power of two
  std::vector<std::vector<Departure>> choices_ = {{}, {{{}, {0, Via::timeout}}}};  // the second: kTimeout
  // Replicated.
  Interned<std::vector<Event>> read_sets_{std::vector<std::vector<Event>>(1)};  // the first: none
  std::unordered_map<Condition, std::vector<Event>> reads_of_;                  // of an object's condition
  std::unordered_map<Condition, std::vector<Condition>> changes_of_;            // threads that consume it
  std::vector<std::uint32_t> next_of_;                                          // by condition
  std::vector<Next> nexts_;
  std::vector<Spin> spins_;
  std::unordered_map<Condition, std::uint32_t> spin_of_;  // numbers of spins
  std::vector<bool> is_ended_;                            // by condition
  std::vector<bool> is_failed_;
  std::vector<bool> may_stop_;
  std::vector<bool> passed_round_;  // by condition of a thread: below one where it waits in a loop
  std::vector<std::uint32_t> left_below_;
  std::vector<std::uint32_t> left_at_;
  std::vector<bool> has_ended_before_;                             // by condition of a thread
  std::unordered_map<Condition, std::vector<Slot>> ended_before_;  // where there are some
  std::vector<std::uint64_t>
      touched_;  // by condition of a thread: see may_touch(); bits, by numbers of slots
  std::vector<Event> targets_;
  std::vector<Event> late_;
  std::vector<Blocked> blocked_;
  std::vector<Mark> union_;  // of the last joins()
  // Kept for their memory.
  Order order_;
  Places places_;     // of events
  Places consumers_;  // of conditions
  Places ends_;       // of threads
  std::vector<Event> events_of_cone_;
  std::vector<Mark> own_;
  std::vector<Condition> rest_;
  std::vector<Condition> below_;
  bool knows_all_orders_ = true;
  std::uint64_t done_ = 0;
  std::uint64_t pairs_ = 0;
};

}  // namespace thrum
