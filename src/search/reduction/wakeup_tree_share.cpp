// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Equal branches of wakeup trees are made one.
//
// The idea. A node with its step, what is below it and what is next to it is a list of trees. Two lists are
// equal if the steps of their nodes are, and what is below and next is the same. So the nodes are taken by
// height, those that lead nowhere first, and each is looked up by these three numbers; no hash decides.
//
// The nodes that Branches lead to keep their numbers, which their holders have.
//
// A pool is gone through when it has twice as many nodes as were left the last time. So that costs no more
// than to make the nodes did.
#include <algorithm>

#include "search/reduction/wakeup_tree.hpp"
#include "support/hash.hpp"
#include "support/slots.hpp"

namespace thrum {

void WakeupTrees::make_one() {
  const std::vector<std::uint32_t> outer = outer_links();
  std::vector<Node> one_of(nodes_.size(), kNone);  // by node: the one that it is equal to
  const auto hash_of = [&](Node node) {
    const Entry& entry = nodes_[node];
    const std::uint64_t leads = std::uint64_t{entry.branches.first} << 32 | entry.next;
    return mixed(leads, std::uint64_t{entry.step} << 1 | entry.covers);
  };
  const auto is_equal = [&](Node one, Node other) {
    const Entry& a = nodes_[one];
    const Entry& b = nodes_[other];
    return a.step == b.step && a.covers == b.covers && a.branches.first == b.branches.first &&
           a.next == b.next;
  };
  struct Slot {
    Node node = kNone;
  };
  Slots<Slot> known;
  std::size_t count = 0;
  const auto is_free = [](const Slot& slot) { return slot.node == kNone; };
  for (const Node node : by_height()) {
    Entry& entry = nodes_[node];
    if (!entry.branches.empty()) entry.branches.first = one_of[entry.branches.first];
    if (entry.next != kNone) entry.next = one_of[entry.next];
    known.make_room(count + 1, is_free, [&](const Slot& slot) { return hash_of(slot.node); });
    Slot& slot = known[known.find(hash_of(node),
                                  [&](const Slot& one) { return is_free(one) || is_equal(one.node, node); })];
    one_of[node] = is_free(slot) || outer[node] != 0 ? node : slot.node;
    if (!is_free(slot)) continue;
    slot.node = node;
    ++count;
  }
  for (Node node = 0; node < nodes_.size(); ++node) nodes_[node].links = outer[node];
  free_all_but(one_of);
  share_above_ = std::max(share_above_least_, 2 * live_);
}

// The nodes in use, each behind those that it leads to.
std::vector<WakeupTrees::Node> WakeupTrees::by_height() const {
  std::vector<Node> nodes;
  nodes.reserve(live_);
  std::vector<bool> is_done(nodes_.size());
  std::vector<Node> rest;
  for (Node from = 0; from < nodes_.size(); ++from) {
    if (nodes_[from].links != 0) rest.push_back(from);
    while (!rest.empty()) {
      const Node node = rest.back();
      const std::size_t size = rest.size();
      for (const Node to : {nodes_[node].next, nodes_[node].branches.first}) {
        if (to != kNone && !is_done[to]) rest.push_back(to);
      }
      if (rest.size() != size) continue;
      rest.pop_back();
      if (!is_done[node]) nodes.push_back(node);
      is_done[node] = true;
    }
  }
  return nodes;
}

// By node: how many Branches lead to it.
std::vector<std::uint32_t> WakeupTrees::outer_links() const {
  std::vector<std::uint32_t> outer;
  outer.reserve(nodes_.size());
  for (const Entry& entry : nodes_) outer.push_back(entry.links);
  for (const Entry& entry : nodes_) {
    if (entry.links == 0) continue;
    if (!entry.branches.empty()) --outer[entry.branches.first];
    if (entry.next != kNone) --outer[entry.next];
  }
  return outer;
}

// Frees the nodes in use that are equal to another one, and counts the links among those that are left.
void WakeupTrees::free_all_but(const std::vector<Node>& one_of) {
  for (Node node = 0; node < nodes_.size(); ++node) {
    if (one_of[node] == kNone) continue;  // it was free
    if (one_of[node] != node) {
      give_back(node);
      continue;
    }
    if (!nodes_[node].branches.empty()) add_link(nodes_[node].branches.first);
    if (nodes_[node].next != kNone) add_link(nodes_[node].next);
  }
}

}  // namespace thrum
