// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Context-bounded reachability of concurrent boolean programs, exact for unbounded stacks (Qadeer and Rehof,
// Context-Bounded Model Checking of Concurrent Software, TACAS 2005).
//
// A schedule is which thread has which context. Schedules form a tree, searched level by level: c = 1, 2, ...
// A node keeps, for all executions with its schedule at once, which globals there may be at the boundaries
// (where a context has ended), and for each thread the set of its stacks, over the boundaries that it knows.
// A context is run once in each node, for all globals with which it may begin (phase.hpp).
//
// Threads that are alike (the slots of started threads; threads that run the same procedure from the
// beginning) have their first contexts in the order of their numbers, since any other order is the same but
// for names.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "boolprog/phase.hpp"

namespace thrum::bp {

// The contexts that led to a node, and the node's own last one.
struct Node {
  std::shared_ptr<const Node> parent;
  std::uint32_t thread = 0;                          // as in Encoding::waiting()
  std::uint32_t contexts = 0;                        // with this one
  Bdd schedules{};                                   // over the boundaries before this context
  std::vector<std::shared_ptr<const Phase>> phases;  // of each thread its last context; null: it never moved
  std::uint32_t slots_moved = 0;
};

struct Figures {
  std::uint64_t nodes = 0;      // of the tree of schedules
  std::uint64_t bdd_nodes = 0;  // in the table
};

class ContextSearch {
 public:
  // transfer: of an encoding with at least the boundaries and slots that `contexts` needs.
  // is_over: asked for each node; true ends the search with BddInterrupted.
  ContextSearch(const Transfer& transfer, std::uint32_t contexts, std::function<bool()> is_over = {});

  // Searches the next level; false: there is none, since no thread can go on in another context.
  bool next_level();
  std::uint32_t level() const { return level_; }

  // The node in whose last context what is searched for is reached; nullptr: none was found. It has no trace
  // until remember() has run its contexts again.
  std::shared_ptr<const Node> failure() const { return failure_; }
  void remember();
  // The run of `init`, if there is one.
  std::shared_ptr<const Phase> init() const { return init_; }
  const Figures& figures() const { return figures_; }
  // What the search has come to: the sets of states that a further level would begin with.
  std::vector<Bdd> sets() const;
  // Places in the code that were reached, as a part of all.
  double reached() const;

 private:
  bool may_move(const Node& node, std::uint32_t thread) const;
  void add_child(const std::shared_ptr<const Node>& parent, std::uint32_t thread, const Bdd& schedules);
  // The node's last context.
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
