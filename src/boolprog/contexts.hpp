// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Context-bounded reachability of concurrent boolean programs, exact for unbounded stacks (Qadeer and Rehof,
// Context-Bounded Model Checking of Concurrent Software, TACAS 2005).
//
// A schedule says which thread runs in each context. Schedules form a tree, which is searched level by level:
// c = 1, 2, ... contexts. A node represents all executions with its schedule. It keeps the possible globals
// at the boundaries (where a context has ended), and for each thread the set of its stack configurations,
// over the boundaries of this thread. In each node one context is run, for all globals with which it may
// begin (phase.hpp).
//
// Symmetric threads (the slots of started threads; initial threads of the same procedure) have their first
// contexts in the order of their numbers. Any other order is equal up to renaming.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "boolprog/phase.hpp"

namespace thrum::bp {

// A node of the tree: the schedule of its parent, and one more context.
struct Node {
  std::shared_ptr<const Node> parent;
  std::uint32_t thread = 0;                          // as in Encoding::waiting()
  std::uint32_t contexts = 0;                        // with this one
  Bdd schedules{};                                   // over the boundaries before this context
  std::vector<std::shared_ptr<const Phase>> phases;  // the last context of each thread; null: it never moved
  std::uint32_t slots_moved = 0;
};

struct Figures {
  std::uint64_t nodes = 0;      // of the tree of schedules
  std::uint64_t bdd_nodes = 0;  // in the table
};

class ContextSearch {
 public:
  // transfer: its encoding has at least the boundaries and slots that `contexts` needs. is_over: is called
  // for each node; if it returns true, the search ends with BddInterrupted.
  ContextSearch(const Transfer& transfer, std::uint32_t contexts, std::function<bool()> is_over = {});

  // Searches the next level. False: there is none, because no thread can move in another context.
  bool next_level();
  std::uint32_t level() const { return level_; }

  // The node whose last context reaches the goal; nullptr: none was found. Its phases record no causes until
  // remember() has run its contexts again.
  std::shared_ptr<const Node> failure() const { return failure_; }
  void remember();
  // The phase of `init`, if the program has one.
  std::shared_ptr<const Phase> init() const { return init_; }
  const Figures& figures() const { return figures_; }
  // All sets of states with which a further level would begin.
  std::vector<Bdd> sets() const;
  // The fraction of the places in the code that were reached.
  double reached() const;

 private:
  bool may_move(const Node& node, std::uint32_t thread) const;
  void add_child(const std::shared_ptr<const Node>& parent, std::uint32_t thread, const Bdd& schedules);
  // Runs the node's last context.
  std::shared_ptr<Phase> run(const Node& node, Phase::Purpose purpose);
  void run_init();
  std::shared_ptr<Node> remembered(const Node& node);

  const Transfer& transfer_;
  Summaries summaries_;
  std::uint32_t contexts_;
  std::function<bool()> is_over_;
  std::uint32_t level_ = 0;
  Bdd first_globals_;
  std::shared_ptr<const Phase> init_;
  std::vector<std::shared_ptr<Node>> leaves_;
  std::shared_ptr<const Node> failure_;
  Figures figures_;
};

}  // namespace thrum::bp
