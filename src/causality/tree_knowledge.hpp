// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all executions have shown together: the threads' trees, what memory held at first, the inputs; and
// that as clauses for a solver, which are kept up to date.
//
// Tested by tests/causality.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "causality/encoding.hpp"
#include "causality/trace_learner.hpp"
#include "model/plan.hpp"

namespace thrum {

class TreeKnowledge {
 public:
  using Node = ThreadTrees::Node;

  // The terms must outlive it. clauses_at_once: see Encoding.
  TreeKnowledge(Deciding deciding, Terms& terms, MakeSolver make_solver, const Interrupt* interrupt = nullptr,
                double clauses_at_once = Encoding::kClausesAtOnce)
      : deciding_(deciding),
        terms_(terms),
        make_solver_(std::move(make_solver)),
        interrupt_(interrupt),
        clauses_at_once_(clauses_at_once),
        learner_(deciding, trees_, initial_) {}

  // Where the trace shows that memory is shared which was not known to be, all begins again: accesses to it
  // are missing in what executions have shown before. Whether it is so.
  bool learn(const Trace& trace);
  // Why no more can be said; empty: nothing stands against it.
  const std::string& problem() const { return problem_; }
  // Changes with all that is learned.
  std::uint64_t changes() const { return trees_.changes() + initial_.size(); }
  const ThreadTrees& trees() const { return trees_; }
  const InitialState& initial() const { return initial_; }
  // Of the last execution (TraceLearner).
  const std::vector<Node>& lasts() const { return learner_.lasts(); }

  // With all that was learned, unless that is interrupted. REQUIRES: something was learned
  Encoding& encoding();
  // Its solver is of no use any more.
  void spoil_encoding() { is_spoilt_ = true; }
  // Changes where the encoding is another one, with other literals.
  std::uint64_t encodings() const { return encodings_; }
  // Of memory that trees and solvers take, about.
  std::uint64_t bytes() const { return trees_.bytes() + (encoding_ ? encoding_->solver().bytes() : 0); }
  std::uint64_t clauses() const { return encoding_ ? encoding_->clauses() : 0; }

  // A plan for steps of the solver's model.
  Plan plan_of(std::span<const Node> steps);

  // What it knows between two executions; the encoding is made again.
  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.trees_, self.initial_, self.learner_, self.inputs_, self.problem_);
  }

 private:
  Deciding deciding_;
  Terms& terms_;
  MakeSolver make_solver_;
  const Interrupt* interrupt_;
  double clauses_at_once_;
  ThreadTrees trees_;
  InitialState initial_;
  TraceLearner learner_;
  std::vector<RecordedInput> inputs_;  // each once
  std::unique_ptr<Encoding> encoding_;
  bool is_spoilt_ = false;
  std::uint64_t encodings_ = 0;
  std::string problem_;
};

}  // namespace thrum
