// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unfolding/condition_trees.hpp"

namespace thrum {

ConditionTrees::Slot ConditionTrees::open() {
  const auto slot = static_cast<Slot>(roots_.size());
  const auto root = static_cast<Condition>(conditions_.size());
  conditions_.push_back({kNone, root, 0, slot, kNone});
  roots_.push_back(root);
  return slot;
}

ConditionTrees::Condition ConditionTrees::add(Condition parent, Event event, Slot maker) {
  const auto added = static_cast<Condition>(conditions_.size());
  const Node& above = conditions_[parent];
  const Node& jump = conditions_[above.jump];
  const bool doubles = above.depth - jump.depth == jump.depth - conditions_[jump.jump].depth;
  Node node{parent, doubles ? jump.jump : parent, above.depth + 1, above.slot, event};
  node.next_sibling = above.first_child;
  node.maker = maker;
  node.behind_row = by_others(above.first_child, maker);
  conditions_[parent].first_child = added;
  conditions_.push_back(node);
  return added;
}

ConditionTrees::Condition ConditionTrees::ancestor(Condition condition, std::uint32_t depth) const {
  while (conditions_[condition].depth > depth) {
    const Condition jump = conditions_[condition].jump;
    condition = conditions_[jump].depth >= depth ? jump : conditions_[condition].parent;
  }
  return condition;
}

}  // namespace thrum
