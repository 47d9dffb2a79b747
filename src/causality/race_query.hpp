// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether some execution has a data race: two accesses to the same bytes, one of which writes and one of
// which is plain, that happens-before does not order (C++20 [intro.races]).
//
// The question is put as a set of nodes that is closed under what happens before: with each node it has those
// before it in its thread, and with each acquisition the releases that it synchronizes with. Two accesses
// race if some such set has the later one and not the earlier one.
//
// Built when the trees are complete. Tested by tests/causality/causality_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "causality/data_encoding.hpp"
#include "causality/node_encoding.hpp"
#include "causality/race_candidates.hpp"

namespace thrum {

class RaceQuery {
 public:
  using Node = ThreadTrees::Node;
  using Literal = Solver::Literal;
  struct Pair {
    Node first = ThreadTrees::kNone;
    Node second = ThreadTrees::kNone;  // that comes later
  };

  // REQUIRES: all that executions can do is in the trees
  RaceQuery(NodeEncoding& nodes, const DataEncoding& data);

  // Some pair races that is not excluded. Nothing: there is no pair left that could.
  std::optional<Literal> some_race();
  // Of the solver's last model, which satisfies that.
  Pair found() const;
  // Pairs of the same operations are not asked for any more.
  void exclude(const Pair& pair);

  std::size_t pairs() const { return candidates_.size(); }

 private:
  using Places =
      std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;  // memory, and code of the two steps
  struct Candidate {
    Pair pair;
    Literal literal = 0;
  };

  void add_program_order();
  void add_synchronization();
  void add_release_sequences(const DataEncoding& data);
  void add_candidate(const Pair& pair, Node condition);
  Literal ends_in(Node step);
  Literal is_past(Node node) const { return past_[node]; }
  Literal carried_by(Node write);
  Node fence_before(Node node) const;
  Places places_of(const Pair& pair) const;
  std::uint64_t code_of_step(Node node) const;

  NodeEncoding& nodes_;
  const ThreadTrees& trees_;
  std::vector<Literal> past_;        // by node: it happens before the later access
  std::map<Node, Literal> carried_;  // by write: what an acquiring read of it would learn, too
  std::map<Node, Literal> ends_in_;  // by step
  std::vector<Candidate> candidates_;
  std::set<Places> excluded_;
};

}  // namespace thrum
