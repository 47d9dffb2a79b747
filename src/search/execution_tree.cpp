// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/execution_tree.hpp"

#include <algorithm>

#include "support/check.hpp"

namespace thrum {

ExecutionTree::ExecutionTree() : entries_{Entry{kNone, 0, 0, 0, 1, 0, 0}} {}

ExecutionTree::Node ExecutionTree::add(Node parent, const Departure& departure) {
  Entry entry{parent,
              departure.key.index,
              departure.key.thread,
              departure.option.value,
              1,
              static_cast<std::uint32_t>(departure.key.kind) & 7,
              static_cast<std::uint32_t>(departure.option.via) & 7};
  Entry& above = entries_[parent];
  above.children = (above.children + 1) & 0x3ffffff;
  THRUM_CHECK(above.children != 0);
  ++live_;
  if (free_ == kNone) {
    THRUM_CHECK(entries_.size() < kNone);
    entries_.push_back(entry);
    return static_cast<Node>(entries_.size() - 1);
  }
  Node node = free_;
  free_ = entries_[node].parent;
  entries_[node] = entry;
  return node;
}

void ExecutionTree::release(Node node) {
  while (true) {
    Entry& entry = entries_[node];
    entry.children = (entry.children - 1) & 0x3ffffff;
    if (entry.children != 0) return;
    THRUM_CHECK(node != kRoot);
    Node parent = entry.parent;
    entry.parent = free_;
    free_ = node;
    --live_;
    node = parent;
  }
}

void ExecutionTree::path(Node node, std::vector<Departure>& departures) const {
  departures.clear();
  for (; node != kRoot; node = entries_[node].parent) {
    const Entry& entry = entries_[node];
    departures.push_back({{entry.thread, static_cast<ChoiceKind>(entry.kind), entry.index},
                          {entry.option, static_cast<Via>(entry.via)}});
  }
  std::reverse(departures.begin(), departures.end());
}

}  // namespace thrum
