// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pairs of accesses that might race, by what the trees alone say: of two threads, to the same bytes, one of
// them plain and one a write; not both in sections of one mutex, and none of them behind a join of the other
// one's thread. Operations on synchronization objects are such accesses, too. And frees of memory that
// another thread may access behind them.
//
// Tested by tests/causality/causality_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "causality/thread_trees.hpp"

namespace thrum {

class RaceCandidates {
 public:
  using Node = ThreadTrees::Node;
  struct Pair {
    Node first = ThreadTrees::kNone;
    Node second = ThreadTrees::kNone;
    Node condition = ThreadTrees::kNone;  // they are a pair where that is executed, too

    friend auto operator<=>(const Pair&, const Pair&) = default;
  };

  struct Access {
    std::uint64_t object = 0;
    std::uint32_t size = 0;  // in bytes; 0: it accesses nothing
    bool is_atomic = false;
    bool in_section = false;
    bool is_free = false;
    bool writes = false;

    friend auto operator<=>(const Access&, const Access&) = default;
  };

  // It must outlive this.
  explicit RaceCandidates(const ThreadTrees& trees);

  // Each once, and sorted.
  const std::vector<Pair>& races() const { return races_; }
  // The free, and an access or another free; each once.
  const std::vector<Pair>& uses_of_freed() const { return uses_of_freed_; }
  // What the node accesses: memory, or a synchronization object.
  Access access(Node node) const;
  bool empty() const { return races_.empty() && uses_of_freed_.empty(); }

 private:
  // What a step knows of what came before it in its thread.
  struct Before {
    std::vector<std::uint64_t> held{};  // mutexes
    std::vector<ThreadId> joined{};     // threads; kNoThread: all others
  };

  void add_pairs(std::span<const Node> writes, std::span<const Node> reads);
  void add_pair(Node a, Node b, Node condition);
  void add_use_of_freed(Node free, Node access);
  std::vector<Node> cases_of_update(Node read) const;
  bool is_of_check(Node node) const;
  void note_step(Node step);
  const Before& before(Node node) const;
  bool share_a_lock(Node a, Node b) const;
  bool is_joined(Node a, Node b) const;

  const ThreadTrees& trees_;
  std::unordered_map<Node, Before> steps_;
  std::vector<Pair> races_;
  std::vector<Pair> uses_of_freed_;
};

}  // namespace thrum
