// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The backtrack sets of a best-first search with dynamic partial-order reduction: which steps are to be run
// at each point of the executions that others may still depart from (GAMBIT, section 3.3: "each node in the
// DPOR search must keep track of its successors").
//
// A point is named by the deepest node of the execution tree on its path, its owner, and by how many steps
// lie before it: what an execution does behind its last departure is a function of its plan. Only points at
// which a step was added have a set. Its first entry is the step that the owner's own execution took.
//
// Example: the first execution runs 1 2 3. A race asks for thread 2 before the first step. Then the root owns
// a set at depth 0 with the entries 1, which was run, and 2, which waits.
//
// Invariants:
//   1. A set is kept while a step was added there, or at a deeper point of its owner, and that or what
//      came of it still lives in the tree: only such an execution can pass the point again.
//      (What the strategy advised in an execution is a departure of its continuation, which is a child too.)
//   2. Entries are numbered (Entry::order) in the order in which they were first run.
//
// Thread safety: none. Tested by backtrack_sets_test.cpp and, through the search, by reduction_test.cpp.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "search/frontier/execution_tree.hpp"
#include "search/reduction/wakeup_tree.hpp"

namespace thrum {

class BacktrackSets {
 public:
  using Node = ExecutionTree::Node;
  static constexpr std::uint32_t kUnknown = 0xffffffff;
  static constexpr std::uint16_t kWaits = 0xffff;

  // A step that was added, or run.
  struct Entry {
    Step step;
    std::uint32_t event = kUnknown;    // what it did, by number_of()
    Node node = ExecutionTree::kRoot;  // that stands for it, from when it was first run on
    std::uint16_t order = kWaits;      // so many were run there before it
    bool stops = false;                // the execution ended with it, by a bug
    bool sleeps = false;               // it may sleep in what is run there after it
    bool awake = false;                // it runs once more, and nothing of the set sleeps in it
    bool is_guess = false;             // whether it can be taken there is not known
  };
  struct Set {
    ChoiceKey key;
    std::uint32_t depth = 0;
    std::uint32_t live = 0;  // children of the owner that departed here
    std::uint16_t runs = 1;  // entries that were run
    std::vector<Entry> entries;

    // nullptr: there is none.
    Entry* find(const Step& step);
    Entry* find_waiting(const Step& step);
    bool runs_again(const Step& step) const;
    Entry* find_run(Node node);  // but the owner's own

    template <typename Self>
    static auto members(Self& self) {
      return std::tie(self.key.thread, self.key.kind, self.key.index, self.depth, self.live, self.runs,
                      self.entries);
    }
  };

  // nullptr: nothing was added there. Valid until the sets of the owner change.
  Set* find(Node owner, std::uint32_t depth);
  // Whether such a step of the set at that choice is a guess.
  bool is_guess(Node owner, ChoiceKey key, const Step& step) const;
  // A new set, whose first entry is the step that was run there. REQUIRES: there is none.
  Set& make(Node owner, std::uint32_t depth, ChoiceKey key, const Entry& first);

  // A step that waits from now on.
  Entry& add(Set& set, const Step& step);

  // The owner's own execution goes on as a child of it, from behind its last point.
  void continue_as_child(Node owner);
  // A node has gone from the tree, with all that came of it. It departed from its parent at that choice.
  void node_gone(Node node, Node parent, ChoiceKey key);

  // Steps are few, and done again and again; so an entry holds a number for what it did. Of the event only
  // that is kept by which dependence is told.
  std::uint32_t number_of(const StepView& planned);
  const PlannedStep& event(std::uint32_t number) const { return events_[number]; }

  // By nodes and the ids of threads: to be read on the same machine, with the tree.
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

  // About what the sets take, in bytes.
  std::uint64_t bytes() const { return bytes_; }
  std::size_t size() const { return count_; }

 private:
  static constexpr std::uint64_t kOwnerBytes = 64;  // about: an element of the table
  struct Owner {
    std::vector<Set> sets;   // in order of depth
    bool continued = false;  // continue_as_child(), and that child lives
  };
  void drop(std::vector<Set>& sets, std::size_t count);
  Owner& of(Node owner);

  std::unordered_map<Node, Owner> by_owner_;
  PlannedSteps events_;
  std::uint64_t bytes_ = 0;
  std::size_t count_ = 0;
};

}  // namespace thrum
