// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executions that nothing can be added to: each thread is over, or stands before an operation that it cannot
// do, or waits in a loop. Some thread that is not over makes it a deadlock; but if one waits in a loop, only
// if it would find the same in another round. That is said of loops that only read; else the program has to
// show it. And those that a thread ends by what it does next, since a lock is destroyed while it is in use,
// or used when it was destroyed.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "causality/data_encoding.hpp"
#include "causality/node_encoding.hpp"
#include "causality/sync_encoding.hpp"

namespace thrum {

class FinalStates {
 public:
  using Node = ThreadTrees::Node;
  using Literal = Solver::Literal;

  // REQUIRES: all that executions can do is in the trees
  FinalStates(NodeEncoding& nodes, DataEncoding& data, SyncEncoding& sync);

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
  void exclude(std::span<const Node> lasts) { exclude(is_maximal_, lasts); }
  // The same, of deadlocks: it was none, since a thread that waits in a loop would go on.
  void exclude_vain(std::span<const Node> lasts) { exclude(is_deadlock_, lasts); }
  // Where threads wait, but for joins, is not all the same as there: places in the code.
  void exclude_deadlock(const std::set<std::uint64_t>& places);

 private:
  void exclude(Literal what, std::span<const Node> lasts);
  void add_standing(Node node);
  void add_waits(DataEncoding& data);
  bool only_reads(Node wait) const;
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
    Node operation = ThreadTrees::kNone;  // that it cannot do; or a wait
  };
  std::uint64_t code_of(const Standing& standing) const;
  bool joins(const Standing& standing) const;
  std::vector<Standing> standings_;
  struct Misuse {
    Literal is_so = 0;
    Node operation = ThreadTrees::kNone;
  };
  std::vector<Misuse> misuses_;
};

}  // namespace thrum
