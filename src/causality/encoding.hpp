// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All executions that are made of nodes of the trees, as clauses for a solver: each model is an execution.
// And what no execution has shown yet, as literals that a model may make true.
//
// Tested by tests/causality/causality_test.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "causality/data_encoding.hpp"
#include "causality/final_states.hpp"
#include "causality/freed_query.hpp"
#include "causality/node_encoding.hpp"
#include "causality/race_query.hpp"
#include "causality/sync_encoding.hpp"

namespace thrum {

class Encoding {
 public:
  using Node = ThreadTrees::Node;
  using Literal = Solver::Literal;

  // Something that no execution has shown: an outcome of a decision; an operation that a thread can stand
  // before; or what a thread does behind a node.
  struct Target {
    Node node = ThreadTrees::kNone;
    Literal literal = 0;
  };

  // So many clauses about one cell are said before a model needs them (DataEncoding).
  static constexpr double kClausesAtOnce = 3e5;

  // All but the solver must outlive it. cells: from an encoding that was begun before.
  Encoding(Deciding deciding, const ThreadTrees& trees, Terms& terms, const InitialState& initial,
           std::unique_ptr<Solver> solver, Cells cells = {}, double clauses_at_once = kClausesAtOnce);

  // Takes in what has come to the trees, or a part of it where that is interrupted. False: all has to be
  // encoded again, with cells() of this one.
  bool extend(const Interrupt* interrupt = nullptr);
  const Cells& cells() const { return data_.cells(); }

  std::vector<Target> targets() const;
  // Whether some of them can be reached. If so, what follows is about the execution that reaches it.
  Solver::Answer solve(std::span<const Target> targets, Solver::Limit limit);

  // Whether there is an execution that the literals are true of.
  Solver::Answer solve(Literal literal, Solver::Limit limit) { return solve(std::span(&literal, 1), limit); }
  Solver::Answer solve(std::span<const Literal> literals, Solver::Limit limit);
  // The same of something that says itself where threads may stop (NodeEncoding::stops_only_in).
  struct WithStops {
    Literal literal = 0;
  };
  Solver::Answer solve(WithStops question, Solver::Limit limit) {
    return solve_as_it_stands(std::span(&question.literal, 1), limit);
  }
  // REQUIRES: all that executions can do is known; until extend()
  FinalStates& final_states();
  RaceQuery& races();
  FreedQuery& freed();

  // The first of the targets that it comes to.
  Target reached(std::span<const Target> targets);
  // The steps that it does up to the node's step, in their order, that one too.
  std::vector<Node> steps_up_to(Node node);
  // All its steps.
  std::vector<Node> steps();
  // The waiter that a signal wakes, where several sleep (SyncEncoding).
  Node chosen_by(Node signal) const { return sync_.chosen_by(signal); }

  Literal executed(Node node) const { return nodes_.executed(node); }
  const std::vector<DataEncoding::Interference>& interferences() const { return data_.interferences(); }
  Solver& solver() { return *solver_; }
  std::uint64_t clauses() const { return nodes_.clauses(); }
  const std::string& not_covered() const { return sync_.not_covered(); }

 private:
  Solver::Answer solve_as_it_stands(std::span<const Literal> literals, Solver::Limit limit);
  Solver::Answer solve_and_fill(std::span<const Literal> assumptions, Solver::Limit limit);
  bool is_effect_known(Node event) const;
  void add_event(Node event);
  void add_effects();
  void add_outcome(Node outcome);
  Literal goes_there(Node outcome);
  bool is_closed(Node decision) const;
  std::vector<std::pair<std::int64_t, Node>> executed_steps();

  Deciding deciding_;
  const ThreadTrees& trees_;
  Terms& terms_;
  std::unique_ptr<Solver> solver_;
  NodeEncoding nodes_;
  DataEncoding data_;
  SyncEncoding sync_;
  std::unique_ptr<FinalStates> final_states_;
  std::unique_ptr<RaceQuery> races_;
  std::unique_ptr<FreedQuery> freed_;
  Node seen_ = 0;                     // nodes up to here
  std::vector<Node> without_effect_;  // operations that were not done yet
  std::vector<Literal> others_;       // by node: of a decision, that no outcome that is known is taken; or 0
};

}  // namespace thrum
