// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether some execution uses memory that another thread has freed before. Where nothing orders the two, that
// is a data race, which is asked for apart (race_query.hpp). But a lock may order them in either way, and if
// no value differs, no thread by itself shows it:
//
//   thread t: lock - free p - unlock        thread u: lock - write p - unlock
//
// A free is known as a write of all bytes of its block that several threads access. No other block lies there
// later. So each access of another thread behind it is a use of freed memory, and each free a second one.
//
// Built when the trees are complete. Tested by tests/endtoend/causality_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "causality/node_encoding.hpp"
#include "causality/race_candidates.hpp"

namespace thrum {

class FreedQuery {
 public:
  using Node = ThreadTrees::Node;
  using Literal = Solver::Literal;
  struct Use {
    Node free = ThreadTrees::kNone;
    Node access = ThreadTrees::kNone;
  };
  // Where in the code the two steps begin.
  using Places = std::pair<std::uint64_t, std::uint64_t>;

  // REQUIRES: all that executions can do is in the trees
  FreedQuery(NodeEncoding& nodes, const RaceCandidates& candidates);

  // There is such a use, and at none of these places. Nothing: nothing is freed that others use.
  std::optional<Literal> some_use(const std::set<Places>& known);
  // Of the solver's last model, which satisfies that.
  Use found() const;
  static Places places_of(const ThreadTrees& trees, const Use& use);

 private:
  void add(Node free, Node access);
  Literal ends_in(Node step);

  NodeEncoding& nodes_;
  const ThreadTrees& trees_;
  std::map<Node, Literal> ends_in_;  // by step
  std::vector<std::pair<Use, Literal>> candidates_;
};

}  // namespace thrum
