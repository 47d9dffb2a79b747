// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One execution by itself, for algorithms that ask each question of one trace: trees of its own, in which
// each thread has one branch after the other, and prefixes of it.
//
// A branch is a decision, or an operation that could have ended in another way. A prefix says of each thread
// how far it goes. It is closed if no thread goes behind the creation or the end of another one without it.
//
// Tested by tests/causality.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "causality/thread_trees.hpp"
#include "causality/trace_learner.hpp"
#include "model/trace.hpp"

namespace thrum {

// The outcomes of a thread's first branches, in any execution. Behind them it may be said which outcomes the
// next branch does not have; where one only is left, that one stands among the values.
struct ThreadWay {
  std::vector<std::uint64_t> values{};
  std::vector<std::uint64_t> excluded{};

  friend auto operator<=>(const ThreadWay&, const ThreadWay&) = default;
};
using Ways = std::vector<ThreadWay>;  // by thread; those that are missing are empty

class TracePath {
 public:
  using Node = ThreadTrees::Node;

  struct Branch {
    Node place = ThreadTrees::kNone;  // the decision, or what comes before the operation
    Node taken = ThreadTrees::kNone;  // the outcome, or the operation
    std::uint64_t value = 0;          // which one it was
    // The other ones; nothing, and is_open: any other value.
    std::vector<std::uint64_t> others{};
    bool is_open = false;
  };

  // How far a thread goes: up to its node `stop`, that one too. That is just before a branch, or its end.
  struct Cut {
    Node stop = ThreadTrees::kNone;  // kNone: the thread does nothing
    std::uint32_t branches = 0;      // up to there
    // Not empty: besides, the branch there has an outcome other than these.
    std::vector<std::uint64_t> excluded{};

    friend auto operator<=>(const Cut&, const Cut&) = default;
  };
  using Prefix = std::vector<Cut>;  // by thread

  // REQUIRES: as TraceLearner::learn()
  TracePath(Deciding deciding, InitialState& initial, const Terms& terms, const Trace& trace);

  const ThreadTrees& trees() const { return trees_; }
  std::span<const RecordedInput> inputs() const { return inputs_; }
  const std::string& not_covered() const { return not_covered_; }

  ThreadId threads() const { return static_cast<ThreadId>(lasts_.size()); }
  std::span<const Branch> branches(ThreadId thread) const { return branches_[thread]; }
  // The nodes of the thread that begin steps, but for its start, in their order.
  std::vector<Node> steps(ThreadId thread) const;
  // What the thread did in the end; kNone: there is no such thread.
  Node last(ThreadId thread) const { return lasts_[thread]; }

  // Up to just before that branch; the whole of it, if there are no more.
  Cut up_to(ThreadId thread, std::size_t branches) const;
  // Up to that branch, which has an outcome other than there and than those. Nothing: there is none.
  std::optional<Cut> other_at(ThreadId thread, std::size_t branch, std::vector<std::uint64_t> excluded) const;

  // The largest closed prefix in this one. A thread that is cut further ends in no other outcome.
  Prefix closed(Prefix prefix) const;
  bool contains(const Prefix& prefix, Node node) const;

  // Whether the execution goes these ways.
  bool goes(const Ways& ways) const;
  ThreadWay way_of(ThreadId thread, const Cut& cut) const;
  Ways ways_of(const Prefix& prefix) const;

 private:
  std::vector<Node> nodes_of(ThreadId thread) const;
  void find_branches(const Terms& terms, ThreadId thread);
  void add_operation(ThreadId thread, Node node);
  void add_outcome(const Terms& terms, ThreadId thread, Node node);
  bool shorten(const Prefix& prefix, ThreadId thread, Cut& cut) const;
  bool may_come(const Prefix& prefix, Node node) const;

  ThreadTrees trees_;
  std::vector<Node> lasts_;
  std::vector<RecordedInput> inputs_;
  std::vector<std::vector<Branch>> branches_;  // by thread
  std::string not_covered_;
};

// Among operations that are alternatives: which one it is.
std::uint64_t way_of(const ThreadTrees::Operation& operation);

}  // namespace thrum
