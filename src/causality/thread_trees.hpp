// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What executions have shown, as one tree for each thread. By itself a thread is a deterministic function of
// its inputs and of what its operations give it. So all executions together are kept as one tree of each
// thread, which branches where a value decides how the thread goes on (a decision), or where an operation can
// end in several ways. The tree of a thread hangs at the node of the operation that created the thread.
//
// A step is what happens at once: a visible operation of a thread, all up to its next one, and what a thread
// that it creates there does up to its first one (docs/semantics.md, "Events and scheduling points"). A join
// begins a step, too, though nobody schedules it: where no data races, it does not matter when it is done. So
// does what main does when it has left and all others have ended.
//
// Nodes are numbered in the order in which they are added, so parents come first, and none is removed.
//
// Example, after an execution in which two threads, t and u, have run `x = 1` and `if (x) ...`:
//
//   start t - event store x - write x, 1 - end
//   start u - event load x - read x, s - decision s - outcome 0 - end
//
// Tested by tests/causality/causality_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "model/event.hpp"
#include "symbolic/terms.hpp"

namespace thrum {

class ThreadTrees {
 public:
  using Node = std::uint32_t;
  static constexpr Node kNone = 0xffffffff;

  enum class Kind : std::uint8_t {
    start,     // of a thread
    event,     // an operation
    read,      // of memory
    write,     // to memory
    decision,  // the thread goes on as the value of a term says
    outcome,   // one of these values
    end,       // of the thread
    stop,      // a thread that comes here ends the execution: by a failure, or by the end of the process
    wait,      // a round of a waiting loop has come to nothing: the thread does nothing more (Rounds::block)
  };

  struct Entry {
    Kind kind = Kind::start;
    bool is_executed = false;  // else it is known only that the thread can stand before it
    ThreadId thread = kMainThread;
    Node parent = kNone;
    Node first_child = kNone;
    Node next_sibling = kNone;
    Node step = kNone;         // the node that begins its step
    Node jump = kNone;         // an ancestor that is further up, to find others fast
    std::uint32_t depth = 0;   // from main's start
    std::uint32_t events = 0;  // visible operations of the thread, up to here
    std::uint32_t detail = 0;  // of the tables below, by kind
  };

  // An operation, as far as it is known before it is done; and in which of several ways it ends.
  struct Operation {
    thrum::Operation operation = thrum::Operation::load;
    // Of an operation that may fail: 1 if it does. Of a choice: the value. Of a once: 1 if its initialisation
    // is over. Of an arrival at a barrier: 1 if it is the last one. Of a writer that queues: 1 if it waits.
    // Of a futex wake: 1 if it wakes somebody.
    std::uint16_t way = 0;
    ThreadId other = kNoThread;  // of a creation or a join
    std::uint32_t size = 0;
    std::uint64_t object = 0;
    // Of a wait: the mutex. Of a timeout of a lock or a semaphore, which is the object: the operation.
    std::uint64_t operand = 0;

    friend bool operator==(const Operation&, const Operation&) = default;
  };
  struct Access {
    std::uint64_t object = 0;
    std::uint32_t size = 0;  // in bytes
    bool is_atomic = false;
    bool in_section = false;  // in an atomic section: these are in order, as the sections are
    // A read that always comes with a write, or a write that comes with a read.
    bool is_update = false;
    bool is_free = false;  // a write: the end of the memory
    bool orders = false;   // an atomic read that acquires, or write that releases
    Term term = Terms::kNone;
    std::uint64_t value = 0;  // of a write where it has no term
  };
  struct Decision {
    Term term = Terms::kNone;  // kNone: what the read before it gave
    std::uint64_t code = 0;
    std::vector<Node> outcomes{};
    std::uint64_t place = 0;  // of a read: where in the program's code, as far as it is known

    template <typename Self>
    static auto members(Self& self) {
      return std::tie(self.term, self.code, self.outcomes, self.place);
    }
  };

  // A round of a waiting loop.
  struct Round {
    Node begin = kNone;      // its first event
    std::uint64_t code = 0;  // of the call that it came back to
  };

  // How two nodes that are not one stand to each other.
  enum class Relation : std::uint8_t {
    before,      // whenever the second one is executed, the first one was before
    after,       // the same the other way round
    exclusive,   // no execution has both
    concurrent,  // of two threads
  };

  std::size_t size() const { return entries_.size(); }
  const Entry& operator[](Node node) const { return entries_[node]; }
  const Operation& operation(Node event) const { return operations_[entries_[event].detail]; }
  const Access& access(Node node) const { return accesses_[entries_[node].detail]; }
  const Decision& decision(Node node) const { return decisions_[entries_[node].detail]; }
  // That a wait is behind.
  const Round& round(Node wait) const { return rounds_[entries_[wait].detail]; }
  // Of an outcome.
  std::uint64_t value(Node outcome) const { return values_[entries_[outcome].detail]; }

  // Of an outcome: whether a compare-exchange that read this value has written the same one. For data races
  // that is a write, and for other threads' values none.
  bool leaves_value(Node outcome) const { return leaves_value_[entries_[outcome].detail]; }
  void set_leaves_value(Node outcome) { leaves_value_[entries_[outcome].detail] = true; }

  // Where in the program's code the operation is, once that is known; else 0.
  std::uint64_t code(Node event) const { return codes_[entries_[event].detail]; }
  void set_code(Node event, std::uint64_t code);
  // The same of the read before a decision.
  void set_place(Node decision, std::uint64_t code);
  // What the operation does to its object, as far as it is known only when it is done (Event::operand): of a
  // once, whether its initialisation is over; of a futex wake, how many threads it wakes at most; of a fence,
  // what it orders, of the two bits below.
  static constexpr std::uint64_t kAcquires = 1;  // of a fence
  static constexpr std::uint64_t kReleases = 2;
  std::uint64_t effect(Node event) const { return effects_[entries_[event].detail]; }
  void set_effect(Node event, std::uint64_t effect);

  // Whether the read acquires where it comes to that outcome. (Of others than a compare-exchange,
  // Access::orders says it of all outcomes.)
  bool acquires(Node outcome) const { return acquires_[entries_[outcome].detail]; }
  void set_acquires(Node outcome) { acquires_[entries_[outcome].detail] = true; }

  // Whether it is a futex wait that reads: that learns by it nothing of what other threads have done.
  bool is_of_futex_wait(Node read) const {
    const Node above = entries_[read].parent;
    return entries_[above].kind == Kind::event && operation(above).operation == thrum::Operation::futex_wait;
  }

  bool begins_step(Node node) const { return entries_[node].step == node; }
  Relation relation(Node a, Node b) const;
  bool is_before(Node a, Node b) const;  // is_before(a, a) is false
  Node last_common(Node a, Node b) const;

  // A child that is no thread's start: what the thread does next, in one of the ways that are known; kNone.
  Node next_of(Node node) const;

  // The child of that content, made if there is none, and marked as executed. kNone: the thread did something
  // else there before, so it is no function of what is known to decide (problem()).
  // events: how many visible operations it counts already.
  Node start(ThreadId thread, Node creator, std::uint32_t events = 0);
  Node operate(Node at, const Operation& operation) { return add_operation(at, operation, true); }
  Node read(Node at, const Access& access) { return add_access(at, Kind::read, access); }
  Node write(Node at, const Access& access) { return add_access(at, Kind::write, access); }
  Node decide(Node at, Term term, std::uint64_t code);
  Node choose_outcome(Node decision, std::uint64_t value);
  Node end(Node at) { return add_plain(at, Kind::end); }
  Node stop(Node at) { return add_plain(at, Kind::stop); }
  // The round began at the thread's last event with that code.
  Node wait(Node at, std::uint64_t code);
  // That a thread can stand before the operation there.
  Node expect(Node at, const Operation& operation) { return add_operation(at, operation, false); }

  // Goes up whenever something becomes known that was not.
  std::uint64_t changes() const { return changes_; }

  // Why no node could be given; empty: it never was so.
  const std::string& problem() const { return problem_; }

  // One line for each node, for people.
  std::string to_text(const Terms& terms) const;

  // To save and load them. Threads and terms are saved by their numbers.
  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.entries_, self.operations_, self.codes_, self.effects_, self.accesses_,
                    self.decisions_, self.rounds_, self.values_, self.acquires_, self.leaves_value_,
                    self.changes_, self.problem_);
  }
  // What they take, about.
  std::uint64_t bytes() const;

 private:
  Node add(Node parent, Kind kind, ThreadId thread, std::uint32_t detail);
  Node mark(Node node);
  Node add_operation(Node at, const Operation& operation, bool is_executed);
  Node add_access(Node at, Kind kind, const Access& access);
  Node add_plain(Node at, Kind kind);
  Node contradiction(Node at, const char* what);
  Node ancestor_at(Node node, std::uint32_t depth) const;

  std::vector<Entry> entries_;
  std::vector<Operation> operations_;
  std::vector<std::uint64_t> codes_;    // of operations
  std::vector<std::uint64_t> effects_;  // of operations
  std::vector<Access> accesses_;
  std::vector<Decision> decisions_;
  std::vector<Round> rounds_;
  std::vector<std::uint64_t> values_;
  std::vector<std::uint8_t> acquires_;      // by value, of an outcome
  std::vector<std::uint8_t> leaves_value_;  // the same
  std::uint64_t changes_ = 0;
  std::string problem_;
};

// Visible ones do, and joins, and the end of all others.
bool can_begin_step(Operation operation);

// Whether the operation takes a lock, or would if it did not fail.
bool takes_lock(Operation operation);

// Whether what the operation does is known only when it is done (ThreadTrees::effect).
bool has_effect(Operation operation);

// Whether a thread that stands before the one may do the other instead, by the same call: a try operation
// that fails, another value that is chosen, a wait that times out.
bool are_alternatives(const ThreadTrees::Operation& a, const ThreadTrees::Operation& b);

}  // namespace thrum
