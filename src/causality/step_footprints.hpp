// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What steps of the trees may touch: atomic variables and synchronization objects. Two steps of different
// threads that touch nothing in common, but to read it, can be done in either order, to the same end. Plain
// data does not count: where two steps that no synchronization orders touch the same, that is a data race.
// So neither does it when joins are done.
#pragma once

#include <cstdint>
#include <vector>

#include "causality/tree_machine.hpp"

namespace thrum {

class StepFootprints {
 public:
  using Node = ThreadTrees::Node;
  struct Footprint {
    std::vector<std::uint64_t> reads;   // bits
    std::vector<std::uint64_t> writes;  // bits
    bool may_end_execution = false;     // the step, or a join that follows it at once

    void add(const Footprint& other);
    bool conflicts_with(const Footprint& other) const;
  };

  // Both must outlive it.
  StepFootprints(const ThreadTrees& trees, const TreeMachine& machine) : trees_(trees), machine_(machine) {}

  // Of what is known now. REQUIRES: the machine has it
  // sections_depend: atomic sections are in one order, whatever they access.
  void take(bool sections_depend = false);

  const Footprint& of_step(Node operation) const { return steps_[operation]; }
  // Of all steps of the thread behind the node, and of threads that are created there.
  const Footprint& behind(Node node) const { return behind_[node]; }

 private:
  static void add_bit(std::size_t bit, std::vector<std::uint64_t>& bits);
  bool counts(Node access) const;
  void number_atomics();
  void add_own(Node node);
  void add_access(Node node, Footprint& own) const;
  void add_object(std::uint32_t object, bool is_shared, Footprint& own) const;
  void add_ends();
  void resize(Footprint& footprint) const;

  const ThreadTrees& trees_;
  const TreeMachine& machine_;
  static constexpr std::uint32_t kNoBit = 0xffffffff;
  std::vector<std::uint32_t> bits_;  // by cell: behind those of the objects
  std::size_t atomics_ = 0;          // cells that have one
  bool sections_depend_ = false;     // that has the bit behind those
  std::vector<Footprint> steps_;     // by the node that begins it
  std::vector<Footprint> behind_;    // by node
};

}  // namespace thrum
