// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executions that nothing can be added to: each thread is over, or stands before an operation that it cannot
// do. And those that a thread ends by what it does next, since a lock is destroyed while it is in use, or
// used when it was destroyed.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "causality/node_encoding.hpp"
#include "causality/sync_encoding.hpp"

namespace thrum {

class FinalStates {
 public:
  using Node = ThreadTrees::Node;
  using Literal = Solver::Literal;

  // REQUIRES: all that executions can do is in the trees
  FinalStates(NodeEncoding& nodes, SyncEncoding& sync);

  // Nothing can be added.
  Literal is_maximal() const { return is_maximal_; }
  // Besides, some thread is not over.
  Literal is_deadlock() const { return is_deadlock_; }
  // Some thread misuses a lock by what it does next.
  Literal is_misuse() const { return is_misuse_; }
  // Else that is never so.
  bool can_be_misused() const { return !misuses_.empty(); }
  // Of the solver's last model: that operation.
  Node misuse() const;
  // It is another one.
  void exclude_misuse(Node operation);

  // Where each thread is in the end (TraceLearner::lasts) is not all the same as there.
  void exclude(std::span<const Node> lasts);
  // Where threads wait, but for joins, is not all the same as there: places in the code.
  void exclude_deadlock(const std::set<std::uint64_t>& places);

 private:
  void add_standing(Node node);
  void add_misuses();
  Literal add_misuse(Node operation, Literal stands);

  NodeEncoding& nodes_;
  SyncEncoding& sync_;
  Literal is_maximal_;
  Literal is_deadlock_;
  Literal is_misuse_;
  std::unordered_map<Node, Literal> lasts_;  // whether a thread is there in the end
  struct Standing {
    Literal stands = 0;
    Node operation = ThreadTrees::kNone;  // that it cannot do
  };
  std::vector<Standing> standings_;
  struct Misuse {
    Literal is_so = 0;
    Node operation = ThreadTrees::kNone;
  };
  std::vector<Misuse> misuses_;
};

}  // namespace thrum
