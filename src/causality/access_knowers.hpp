// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who knows of some access: the threads that it happens before from now on, and the objects and atomic values
// by which others will learn of it (C++20 [intro.races]). After each step of an execution that is one bit for
// each (Elmas, Qadeer, Tasiran, Goldilocks: a race and transaction-aware Java runtime, PLDI 2007), as words
// behind a state of the trees.
//
//   thread t: d = 1; x.store(1, release)        thread u: if (x.load(acquire)) d = 2
//
// When t has written d, t knows of it; then the value of x does, and then u, if it reads that. An access to d
// of a thread that does not know is a data race.
//
// The rules are those of runtime/judge/race_judge.cpp and races/race_detector.cpp. Who knows here must know
// there: a race that is not seen here is looked for nowhere else. (If somebody knows there only, a race is
// found that the judge denies.) So an atomic value is that of an address, whatever others of another size
// write into it; and a futex wait, which reads a value in the kernel, learns nothing by that.
//
// Tested by tests/causality/access_knowers_test.cpp, rule by rule, and tests/causality/causality_test.cpp.
#pragma once

#include <cstdint>

#include "causality/tree_machine.hpp"

namespace thrum {

class AccessKnowers {
 public:
  using Node = ThreadTrees::Node;
  using State = TreeMachine::State;

  // Of what the machine knows now. Both must outlive it. first_word: where in a state the words begin.
  AccessKnowers(const ThreadTrees& trees, const TreeMachine& machine, std::size_t first_word);

  std::size_t words() const { return (bits() + 63) / 64; }

  // Nobody knows but the thread.
  void begin(State& state, ThreadId thread) const { set(state, thread, true); }
  bool knows(const State& state, ThreadId thread) const { return has(state, thread); }

  // What the thread learns by a read that comes to the outcome.
  void read(State& state, Node read, Node outcome) const;
  // What the node, which is no read, lets its thread know, and others by it.
  void perform(State& state, Node node) const;

 private:
  std::size_t bits() const { return cells_ + machine_.cells(); }
  bool has(const State& state, std::size_t bit) const {
    return (state[first_word_ + bit / 64] >> bit % 64 & 1) != 0;
  }
  void set(State& state, std::size_t bit, bool knows) const;
  void add(State& state, std::size_t bit, bool knows) const {
    if (knows) set(state, bit, true);
  }
  std::size_t has_read(ThreadId thread) const { return threads_ + thread; }
  std::size_t fence(ThreadId thread) const { return 2 * threads_ + thread; }
  // Of a lock: its last exclusive section; of a barrier: who has arrived.
  std::size_t object(std::uint32_t number) const { return objects_ + 2 * std::size_t{number}; }
  // Of a lock: all shared sections; of a barrier: what all had done when it was passed last.
  std::size_t second(std::uint32_t number) const { return object(number) + 1; }

  // Bit of the atomic value that the access reads or writes.
  std::size_t value(Node access) const;
  void write(State& state, Node write) const;
  void forget_objects(State& state, std::uint64_t begin, std::uint64_t size) const;
  void perform_event(State& state, Node event) const;
  void arrive(State& state, Node arrival) const;
  void pass_fence(State& state, Node event) const;

  const ThreadTrees& trees_;
  const TreeMachine& machine_;
  std::size_t first_word_;
  std::size_t threads_;
  std::size_t objects_;   // first bit
  std::size_t sections_;  // bit of all atomic sections
  std::size_t cells_;     // first bit
};

}  // namespace thrum
