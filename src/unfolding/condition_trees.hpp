// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conditions of an unfolding, by slot. A slot is a thread or a shared object. In each configuration it
// holds one condition: the initial one, or what an event has put there. An event that consumes a condition
// puts the next one in its place. So the conditions of a slot are a tree, and two children of one condition
// are in conflict: no execution has both.
//
// Example: two threads store x. The slot of x has its initial condition, and two children of that: either
// store comes first. Each child has one child again: the other store.
//
// Ancestors are found by jumps of growing length (skew-binary numbers; Myers, An applicative random-access
// stack, 1983): in a time that grows as the logarithm of the depth.
//
// Source: Kahkonen, Heljanko, Testing Programs with Contextual Unfoldings, TECS 17(1), 2018.
//
// Tested by condition_trees_test.cpp.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

namespace thrum {

class ConditionTrees {
 public:
  using Slot = std::uint32_t;
  using Condition = std::uint32_t;  // its number, over all slots
  using Event = std::uint32_t;
  static constexpr std::uint32_t kNone = 0xffffffff;

  // A new slot with its initial condition.
  Slot open();
  std::size_t size() const { return roots_.size(); }
  Condition initial(Slot slot) const { return roots_[slot]; }

  // The event, of the thread with that slot, puts a condition in the place of this one.
  Condition add(Condition parent, Event event, Slot maker);

  Slot slot(Condition condition) const { return conditions_[condition].slot; }
  std::uint32_t depth(Condition condition) const { return conditions_[condition].depth; }
  // kNone: it is initial.
  Event event(Condition condition) const { return conditions_[condition].event; }
  Condition parent(Condition condition) const { return conditions_[condition].parent; }
  Condition first_child(Condition condition) const { return conditions_[condition].first_child; }
  Condition next_sibling(Condition condition) const { return conditions_[condition].next_sibling; }
  // The next one among those that no event of that thread has made: of the siblings behind it, or of the
  // children. A thread's own make long rows.
  Condition next_sibling_by_others(Condition condition, Slot maker) const {
    return by_others(conditions_[condition].next_sibling, maker);
  }
  Condition first_child_by_others(Condition condition, Slot maker) const {
    return by_others(conditions_[condition].first_child, maker);
  }

  // The ancestor at that depth, or the condition itself. REQUIRES: depth <= depth(condition)
  Condition ancestor(Condition condition, std::uint32_t depth) const;
  // Whether the first is an ancestor of the second, or is it. REQUIRES: they are of one slot
  bool leads_to(Condition above, Condition below) const {
    return depth(above) <= depth(below) && ancestor(below, depth(above)) == above;
  }

  std::size_t conditions() const { return conditions_.size(); }
  std::uint64_t bytes() const { return conditions_.capacity() * sizeof(Node); }

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.conditions_, self.roots_);
  }

 private:
  struct Node {
    Condition parent;
    Condition jump;
    std::uint32_t depth;
    Slot slot;
    Event event;
    Condition first_child = kNone;
    Condition next_sibling = kNone;
    Slot maker = kNone;
    Condition behind_row = kNone;  // the first sibling behind it that another thread has made
  };
  Condition by_others(Condition condition, Slot maker) const {
    const bool is_own = condition != kNone && conditions_[condition].maker == maker;
    return is_own ? conditions_[condition].behind_row : condition;
  }

  std::vector<Node> conditions_;
  std::vector<Condition> roots_;  // by slot
};

}  // namespace thrum
