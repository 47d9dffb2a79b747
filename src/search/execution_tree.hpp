// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The execution tree (GAMBIT, section 3.2): what is left to do, as paths of departures that share their
// beginnings.
//
// A node stands for a plan: the departures from the root down to it. A node of 16 bytes knows only its parent
// and its own departure; it counts its children and goes away, with ancestors that have none left, when it is
// released and the last child is gone.
//
// Invariants:
//   1. A node lives while it is held or a child of it lives.
//   2. The root (kRoot, the empty plan) always lives.
#pragma once

#include <cstdint>
#include <vector>

#include "model/plan.hpp"

namespace thrum {

class ExecutionTree {
 public:
  using Node = std::uint32_t;
  static constexpr Node kRoot = 0;

  ExecutionTree();

  // A new child of parent, held by the caller until release(). REQUIRES: parent lives.
  Node add(Node parent, const Departure& departure);

  // Lets go of a node that add() gave.
  void release(Node node);

  // Writes the departures from the root to node.
  void path(Node node, std::vector<Departure>& departures) const;

  std::size_t live() const { return live_; }

 private:
  struct Entry {
    Node parent;
    std::uint32_t index;
    ThreadId thread;
    std::uint16_t option;
    std::uint32_t children : 26;  // the holder counts as one
    std::uint32_t kind : 3;
    std::uint32_t via : 3;
  };
  static_assert(sizeof(Entry) == 16);

  std::vector<Entry> entries_;
  Node free_ = kNone;  // a list through Entry::parent
  std::size_t live_ = 1;
  static constexpr Node kNone = 0xffffffff;
};

}  // namespace thrum
