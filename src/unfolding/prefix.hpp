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
// store does not depend on who has read what it overwrites, but comes behind them: asymmetric conflict.
//
// Example: a writer and N readers of one cell have 2N + 1 events: each reader reads the initial value, or the
// writer's. Two executions show them all, where there are 2^N orders.
//
// Source: Kahkonen, Heljanko, Testing Programs with Contextual Unfoldings, TECS 17(1), 2018; Kahkonen,
// Saarikivi, Heljanko, ASE 2012.
//
// Tested by tests/oracle/unfolding_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "model/plan.hpp"
#include "model/trace.hpp"
#include "unfolding/condition_trees.hpp"

namespace thrum {

class Prefix {
 public:
  using Slot = ConditionTrees::Slot;
  using Condition = ConditionTrees::Condition;
  using Event = ConditionTrees::Event;
  static constexpr std::uint32_t kNone = ConditionTrees::kNone;

  // In place of choices, in what find() looks for: the creation of a thread.
  static constexpr std::uint32_t kCreation = 0xfffffffe;

  // What a slot holds.
  struct Mark {
    Slot slot;
    Condition condition;
  };
  // A thread's next operation.
  struct Next {
    thrum::Event event;    // as far as it is known before it is done
    Slot object = kNone;   // it reads or consumes its condition; kNone: it is the thread's own affair
    bool is_join = false;  // of the thread of that slot, which has to have ended
  };
  // What is known of an event.
  struct Entry {
    Condition before = kNone;  // of its thread. Of a creation: of the creator's thread, which it leaves there
    Condition object = kNone;
    std::uint32_t choices = 0;  // number of the choices in its middle; 0: none
    bool is_done = false;       // an execution has shown it
    bool is_covered = false;    // or events that are this one with further choices
    bool consumes = false;      // the object's condition; if it is done
    bool is_creation = false;
    Condition after = kNone;         // of the thread, if it is done
    Condition object_after = kNone;  // if it is done and consumes
    std::uint32_t cone_begin = 0;
    std::uint32_t cone_size = 0;
    thrum::Event event;              // if it is done; else the pending one
    std::uint32_t events_after = 0;  // of the thread, if it is done
  };

  Slot open_thread(ThreadId thread);
  Slot open_object();
  const ConditionTrees& slots() const { return slots_; }
  ThreadId thread_of(Slot slot) const { return threads_[slot]; }

  // The number of these choices.
  std::uint32_t number_of(std::span<const Departure> choices);
  const std::vector<Departure>& choices(std::uint32_t number) const { return choices_[number]; }

  const Entry& operator[](Event event) const { return events_[event]; }
  std::size_t size() const { return events_.size(); }
  std::uint64_t done() const { return done_; }

  Event find(Condition before, Condition object, std::uint32_t choices) const;
  // The same; if it is not known, it is new, and no extension that was foreseen.
  Event need(Condition before, Condition object, std::uint32_t choices, bool& is_foreseen);
  // Events that differ from it by further choices are what executions show.
  void cover(Event event) { events_[event].is_covered = true; }
  // Another choice than was made; it is new, or known.
  void add_alternative(Condition before, Condition object, std::uint32_t choices);
  bool is_left(Event event) const { return !events_[event].is_done && !events_[event].is_covered; }
  // An execution has shown the event. Finds the extensions behind it.
  void insert(Event event, const thrum::Event& shown, bool consumes, std::uint32_t events_after);
  // A thread is created by a thread in that state. Its first condition.
  Condition create(Condition creator, Slot thread);

  bool has_next(Condition thread) const { return next_of_[thread] != kNone; }
  // What the thread does next there. Finds its extensions.
  void set_next(Condition thread, const Next& next);
  const Next& next(Condition thread) const { return nexts_[next_of_[thread]]; }
  // The thread has ended there. Finds the joins that may come behind.
  void end(Condition thread);
  // The extensions found since the last call, the last ones last.
  std::vector<Event>& targets() { return targets_; }

  // The events of the event's past, in an order in which they can be run.
  void order_past(Event event, std::vector<Event>& order) const;

 private:
  struct Key {
    Condition before;
    Condition object;
    std::uint32_t choices;
    bool operator==(const Key&) const = default;
  };
  struct HashOfKey {
    std::size_t operator()(const Key& key) const;
  };
  using Cone = std::span<const Mark>;

  Cone cone(Event event) const {
    return {marks_.data() + events_[event].cone_begin, events_[event].cone_size};
  }
  Cone cone_of(Condition condition) const;
  Condition at(Cone cone, Slot slot) const;
  bool joins(Cone a, Cone b);  // sets union_
  bool reads_what_is_consumed(Cone a, Cone b) const;
  bool is_acyclic(Cone cone) const;
  void events_of(Cone cone, std::vector<Event>& events) const;
  static std::uint64_t bit_of(Slot slot) { return std::uint64_t{1} << slot % 64; }
  void extend_thread(Condition thread);
  void extend_object(Condition object);
  void add_behind(Condition thread, Condition object, Cone past, std::vector<Condition>& rest);
  void emit(Condition thread, Condition object);
  bool can_be_done(const Next& next, Condition object) const;
  Event add(const Key& key, Cone cone);
  void grow();

  ConditionTrees slots_;
  std::vector<ThreadId> threads_;  // by slot; kNoThread: an object
  std::vector<Slot> thread_slots_;
  std::vector<Entry> events_;
  std::vector<Mark> marks_;
  std::unordered_map<Key, Event, HashOfKey> known_;
  std::vector<std::vector<Departure>> choices_ = {{}};
  std::vector<std::uint32_t> next_of_;  // by condition
  std::vector<Next> nexts_;
  std::vector<bool> is_ended_;  // by condition
  // By condition of a thread: which slots operations at it or below it are on (bits, by their numbers), and
  // whether events behind it differ by choices.
  std::vector<std::uint64_t> touched_;
  std::vector<bool> has_choices_;
  std::vector<Event> targets_;
  std::vector<Mark> union_;  // of the last joins()
  // Kept for their memory.
  std::vector<Mark> own_;
  std::vector<Condition> rest_;
  std::vector<Condition> below_;
  std::uint64_t done_ = 0;
};

}  // namespace thrum
