// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds what an execution did to the threads' trees.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "causality/first_uses.hpp"
#include "causality/initial_state.hpp"
#include "causality/thread_trees.hpp"
#include "model/trace.hpp"

namespace thrum {

// What decides how a thread goes on.
enum class Deciding : std::uint8_t {
  values,  // each value that it reads (maximal causality reduction)
  terms,   // the decisions that the program records (maximal path causality)
};

class TraceLearner {
 public:
  using Node = ThreadTrees::Node;

  // Both must outlive it.
  TraceLearner(Deciding deciding, ThreadTrees& trees, InitialState& memory)
      : deciding_(deciding), trees_(trees), memory_(memory), uses_(memory) {}

  // REQUIRES: the trace has choices, events and accesses from the beginning; and terms and decisions, where
  // these decide.
  void learn(const Trace& trace);

  // Where each thread was in the end of the execution: at its own end, or behind what it did last. By thread;
  // kNone: there was none.
  const std::vector<Node>& lasts() const { return at_; }

  // What executions did that is not covered; empty: nothing.
  const std::string& not_covered() const { return not_covered_; }

  // What it knows between two executions.
  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.uses_, self.not_covered_);
  }

 private:
  void learn_between(const Trace& trace, std::uint32_t events);
  void learn_event(const Trace& trace, std::uint32_t number);
  void learn_futex_wait(const Event& event);
  void note_left(Node outcome);
  void learn_memory(const Trace& trace, std::uint32_t number);
  void learn_access(const RecordedAccess& access);
  void learn_decisions_of_event(const Trace& trace, std::uint32_t events);
  void learn_decision(const Decision& decision);
  bool is_interrupted(ThreadId thread, ThreadId stopped) const;
  bool has_not_waited(Node node, Node creation) const;
  void learn_end(const Trace& trace);
  void note_code(const Waiter& waiter);
  void expect(const PendingOperation& pending);
  void expect_instead(Node at, const ThreadTrees::Operation& timeout);
  void expect_timeout(Node wait, const ThreadTrees::Operation& operation, bool is_early);
  ThreadTrees::Operation reacquisition_at(Node node) const;
  void expect_other_ways(Node at, const ThreadTrees::Operation& done, const Trace& trace, const Event& event);
  void look_at_memory(std::uint64_t object, std::uint32_t size, std::uint64_t value);
  void add_read(ThreadId thread, const ThreadTrees::Access& access, std::uint64_t value, std::uint64_t code);
  void add_write(ThreadId thread, ThreadTrees::Access access, std::uint64_t value);
  Node& at(ThreadId thread);
  void refuse(const std::string& what);

  Deciding deciding_;
  ThreadTrees& trees_;
  InitialState& memory_;
  FirstUses uses_;
  std::string not_covered_;

  // Of the execution.
  std::vector<Node> at_;                                     // by thread
  std::unordered_map<std::uint64_t, std::uint8_t> written_;  // bytes, where values decide
  bool main_has_left_ = false;                               // by pthread_exit
  std::size_t accesses_ = 0;
  std::size_t decisions_ = 0;
  std::size_t terms_ = 0;
};

// The operation of an event, as trees have it.
ThreadTrees::Operation tree_operation(const Event& event);

}  // namespace thrum
