// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: assertion
// quick: --strategy icb --executions 1000
//
// A sorted list as a set. It is walked without locks; to add or to remove locks the two nodes at the place,
// and validates that they are still neighbours.
//
// The bug: it does not validate that they are still in the list. A node that was removed still has its
// successor, and what is added behind it is lost.
#include <array>
#include <atomic>
#include <cassert>
#include <mutex>

#include "threads.hpp"

struct Node {
  int key = 0;
  std::atomic<Node*> next{nullptr};
  std::atomic<bool> removed{false};
  std::mutex mutex;
};

class LazyList {
 public:
  LazyList() {
    first_.key = -1;
    last_.key = 1000;
    first_.next.store(&last_);
  }

  bool add(Node& node) {
    return at_place_of(node.key, [&node](Node& before, Node& after) {
      if (after.key == node.key) return false;
      node.next.store(&after);
      before.next.store(&node);
      return true;
    });
  }

  bool remove(int key) {
    return at_place_of(key, [key](Node& before, Node& after) {
      if (after.key != key) return false;
      after.removed.store(true);
      before.next.store(after.next.load());
      return true;
    });
  }

  bool contains(int key) const {
    const Node* node = &first_;
    while (node->key < key) node = node->next.load();
    return node->key == key && !node->removed.load();
  }

 private:
  template <class Change>
  bool at_place_of(int key, Change change) {
    while (true) {
      Node* before = &first_;
      Node* after = before->next.load();
      while (after->key < key) {
        before = after;
        after = before->next.load();
      }
      std::lock_guard lock(before->mutex);
      std::lock_guard also(after->mutex);
      if (is_valid(*before, *after)) return change(*before, *after);
    }
  }

  static bool is_valid(const Node& before, const Node& after) {
#ifdef FIXED
    return !before.removed.load() && !after.removed.load() && before.next.load() == &after;
#else
    return before.next.load() == &after;
#endif
  }

  Node first_;
  Node last_;
};

constexpr int kNodes = 12;

LazyList list;
std::array<Node, kNodes> nodes;

// Adds every third key from `first` on and removes all but the last, whose neighbours are the other threads'.
void work(int first) {
  for (int key = first; key < kNodes; key += 3) {
    const bool added = list.add(nodes[static_cast<std::size_t>(key)]);
    assert(added && list.contains(key));
    const bool removed = key + 3 >= kNodes || list.remove(key);
    assert(removed);
  }
}

int main() {
  for (int key = 0; key < kNodes; ++key) nodes[static_cast<std::size_t>(key)].key = key;
  run_together([] { work(0); }, [] { work(1); }, [] { work(2); });
  for (int key = kNodes - 3; key < kNodes; ++key) assert(list.contains(key));
}
