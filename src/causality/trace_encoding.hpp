// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executions that are made of the nodes of one other, as clauses for a solver.
//
// Where terms decide, a literal says for each branch whether its condition has a value; which of them hold is
// assumed for each question. Then the formula for a prefix is that of Yi and Huang (Maximal path causality,
// ESEC/FSE 2018): what comes before, what locks exclude, and from which write each read takes its value, over
// all events of the prefix and no others.
//
// Two things are besides, since a step is done as a whole. A compare-exchange whose outcome is another one
// may write, so no read of others comes behind it. And a thread that fails ends the execution, so it does so
// in the end.
//
// Tested by tests/causality.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <vector>

#include "causality/data_encoding.hpp"
#include "causality/node_encoding.hpp"
#include "causality/sync_encoding.hpp"
#include "causality/trace_path.hpp"

namespace thrum {

class TraceEncoding {
 public:
  using Node = ThreadTrees::Node;
  using Literal = Solver::Literal;
  using Prefix = TracePath::Prefix;

  // All but the solver must outlive it.
  TraceEncoding(Deciding deciding, const TracePath& path, Terms& terms, const InitialState& initial,
                std::unique_ptr<Solver> solver);

  // Whether an execution consists of that prefix. REQUIRES: the prefix is closed; terms decide
  Solver::Answer solve(const Prefix& prefix, Solver::Limit limit);
  // If none does: threads whose branches cannot be so. Without one of these branches there would be one.
  const std::set<ThreadId>& core() const { return core_; }

  // Whether the assumptions can hold. needs(): they are assumed always
  Solver::Answer solve(std::span<const Literal> assumptions, Solver::Limit limit);

  const std::vector<Literal>& needs() const { return needs_; }

  // Of an execution that was found: the nodes that begin its steps, in their order, as a plan.
  std::vector<Node> steps();
  Plan plan_of(std::span<const Node> steps);

  NodeEncoding& nodes() { return nodes_; }
  DataEncoding& data() { return data_; }
  const DataEncoding& data() const { return data_; }
  Solver& solver() { return *solver_; }
  const std::string& not_covered() const { return sync_.not_covered(); }
  std::uint64_t queries() const { return queries_; }

 private:
  struct Label {
    ThreadId thread = kMainThread;
    Literal literal = 0;
  };

  void add(Node node);
  void fail_last(Node failure);
  void read_before(Node decision);
  bool may_write(Node decision) const;
  Literal has_value(Node decision, std::uint64_t value);
  void assume_nodes(const Prefix& prefix);
  void label(const Prefix& prefix, ThreadId thread);
  void label_other(ThreadId thread, const TracePath::Cut& cut);
  void find_core(Solver::Limit limit);
  std::vector<Literal> with(std::span<const Label> labels) const;

  Deciding deciding_;
  const TracePath& path_;
  const ThreadTrees& trees_;
  Terms& terms_;
  std::unique_ptr<Solver> solver_;
  NodeEncoding nodes_;
  DataEncoding data_;
  SyncEncoding sync_;
  std::vector<Literal> needs_;
  std::uint64_t queries_ = 0;

  // Of a prefix.
  std::vector<Literal> assumed_;  // which nodes are executed
  std::vector<Label> labels_;     // how branches end
  std::set<ThreadId> core_;
};

}  // namespace thrum
