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
//
// How much the tree saves can be measured: uncompressed() counts what the same plans would take as schedules,
// whose nodes are single steps (GAMBIT, section 3.1).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/plan.hpp"

namespace thrum {

class ExecutionTree {
 public:
  using Node = std::uint32_t;
  static constexpr Node kRoot = 0;

  ExecutionTree();

  // A new child of parent, held by the caller until release(). step: of the execution, at which it departs;
  // kept only where the tree is measured. REQUIRES: parent lives.
  Node add(Node parent, const Departure& departure, std::uint32_t step = 0);

  // Holds a node that lives, once more.
  void hold(Node node);

  // Lets go of a node that add() or hold() gave.
  void release(Node node) {
    release(node, [](Node, Node, const Departure&) {});
  }
  // The same, and calls gone(node, parent, departure) for each node that goes away, children first.
  template <typename Gone>
  void release(Node node, Gone gone);

  // REQUIRES of both: node lives, and is not the root.
  Node parent(Node node) const { return at(node).parent; }
  Departure departure(Node node) const;

  // Writes the departures from the root to node.
  void path(Node node, std::vector<Departure>& departures) const;
  // Writes the nodes from the root to node, without the root.
  void lineage(Node node, std::vector<Node>& nodes) const;

  std::size_t live() const { return live_; }

  // From now on steps are kept. REQUIRES: only the root lives.
  void measure() { measured_ = true; }
  // So many steps the execution has that the next children depart from. Only where the tree is measured.
  void note_length(std::uint32_t steps) { length_ = steps; }

  struct Uncompressed {
    std::uint64_t tree = 0;   // nodes of one tree of partial schedules, which share their beginnings
    std::uint64_t apart = 0;  // steps of the schedules of the leaves, each by itself
    // Nodes of that tree where each of the leaves goes on to its end (Figure 3a), and is then as long as the
    // execution that it departs from.
    std::uint64_t complete = 0;
  };
  // Schedules end with the step by which their plan departs, but for `complete`. REQUIRES: measured.
  Uncompressed uncompressed() const;

  // As it lies in memory, so that nodes keep their numbers: to be read on the same machine.
  void save(ByteWriter& out) const;
  // REQUIRES: only the root lives.
  void load(ByteReader& in);

  static constexpr std::size_t kNodeBytes = 16;

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
  static_assert(sizeof(Entry) == kNodeBytes);

  // Entries lie in chunks, so that a tree of a gigabyte is never copied in order to grow.
  static constexpr std::uint32_t kChunkBits = 12;
  static constexpr std::uint32_t kChunk = 1u << kChunkBits;
  void free(Node node);
  Entry& at(Node node) { return chunks_[node >> kChunkBits][node & (kChunk - 1)]; }
  const Entry& at(Node node) const { return chunks_[node >> kChunkBits][node & (kChunk - 1)]; }

  std::vector<std::unique_ptr<Entry[]>> chunks_;
  std::uint32_t used_ = 0;  // entries that were ever in use
  Node free_ = kNone;       // a list through Entry::parent
  std::size_t live_ = 1;
  bool measured_ = false;
  std::vector<std::uint32_t> steps_;    // by node, where measured
  std::vector<std::uint32_t> lengths_;  // of the executions, by node, where measured
  std::uint32_t length_ = 0;
  static constexpr Node kNone = 0xffffffff;
};

template <typename Gone>
void ExecutionTree::release(Node node, Gone gone) {
  while (true) {
    Entry& entry = at(node);
    entry.children = (entry.children - 1) & 0x3ffffff;
    if (entry.children != 0) return;
    const Node parent = entry.parent;
    gone(node, parent, departure(node));
    free(node);
    node = parent;
  }
}

}  // namespace thrum
