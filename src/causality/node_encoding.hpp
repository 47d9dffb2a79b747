// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All executions that are made of nodes of the trees, as clauses for a solver: each model is an execution.
//
// A node has a truth value, whether it is executed, and each step has a place in the order. A node may be
// left out with all behind it, but a step is done as a whole. What a read gives, what an operation waits for,
// and what a value decides are in data_encoding.hpp and sync_encoding.hpp.
//
// Nodes only come to it, so nearly all clauses stay true. That one of the known writes is what a read gives,
// for example, is true only as long as no other write is known. Such a clause (a need) is said under a
// literal, which is assumed: when there are more options, it is said again under another one.
//
// Tested by tests/causality/causality_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "causality/initial_state.hpp"
#include "causality/thread_trees.hpp"
#include "causality/trace_learner.hpp"
#include "symbolic/solver.hpp"

namespace thrum {

// Literals and steps of the nodes, and clauses.
class NodeEncoding {
 public:
  using Node = ThreadTrees::Node;
  using Literal = Solver::Literal;
  using Relation = ThreadTrees::Relation;
  using Need = std::uint32_t;

  // Both must outlive it.
  NodeEncoding(const ThreadTrees& trees, Solver& solver);

  const ThreadTrees& trees() const { return trees_; }
  Solver& solver() { return solver_; }

  // Nodes are added in the order of their numbers. A node begins a step, or is one of several that a step can
  // come to, or is executed whenever its parent is.
  void add_node(Node node);
  Literal executed(Node node) const { return executed_[node]; }
  Solver::Step step(Node node) const { return steps_[node]; }

  Literal truth() const { return truth_; }
  // Whether a is executed before b, where both are.
  Literal precedes(Node a, Node b);
  // The clause, less what is known to be false; none, where something is known to be true.
  void add(std::initializer_list<Literal> clause) { add(std::span(clause.begin(), clause.size())); }
  void add(std::span<const Literal> clause);
  void exclude_both(Literal a, Literal b) { add({-a, -b}); }

  // Where a thread stops, the execution is over. That no thread does, which is to be assumed; or, for what is
  // about the last step of an execution: that none does in a step before.
  void add_stop(Node stop);
  Literal goes_on() const { return goes_on_; }
  Literal stops_only_in(Node step);

  // If the literal is true, then one of the options that are offered.
  Need add_need(Literal literal);
  void offer(Need need, Literal option);
  // Says the needs that have changed. What has to be assumed for all of them.
  std::span<const Literal> settle_needs();

  // If the literals are true, what comes before `first` in its thread happens before `second` and what comes
  // behind it, as C++ has it; `first` itself too.
  struct Synchronization {
    Node first = ThreadTrees::kNone;
    Node second = ThreadTrees::kNone;
    std::array<Literal, 2> literals{};
  };
  void synchronize(Node first, Node second, Literal literal, Literal other) {
    synchronizations_.push_back({first, second, {literal, other}});
  }
  std::span<const Synchronization> synchronizations() const { return synchronizations_; }

  std::uint64_t clauses() const { return clauses_; }

 private:
  struct NeedOptions {
    Literal literal = 0;
    Literal guard = 0;
    bool is_changed = true;
    std::vector<Literal> options{};
  };

  const ThreadTrees& trees_;
  Solver& solver_;
  Literal truth_ = 0;
  Literal goes_on_ = 0;
  std::vector<Node> stops_;
  std::vector<Literal> executed_;    // by node
  std::vector<Solver::Step> steps_;  // by node
  std::vector<NeedOptions> needs_;
  std::vector<Need> changed_;
  std::vector<Literal> guards_;  // by need
  std::vector<Synchronization> synchronizations_;
  std::vector<Literal> clause_;
  std::uint64_t clauses_ = 0;
};

}  // namespace thrum
