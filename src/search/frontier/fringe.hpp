// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fringe: the plans that wait to be run, each with a priority (GAMBIT: Coons, Burckhardt, Musuvathi,
// PPoPP 2010, sections 3.3, 4.4 and 5.4).
//
// The least key is served first; plans of the same key last in, first out, which is depth-first search and
// keeps the fringe small. So there is a bucket for each key, and each bucket is a stack. The plans themselves
// are leaves of an execution tree, which the fringe owns.
//
// Tree and fringe may be given a limit on their memory. Beyond it the plans that will be served last are
// written to a file, those of the greatest keys first, and of a bucket the bottom: each as its path of
// departures, less what it shares with the one before. So a bucket is a stack whose lower part lies in the
// file, in segments; the topmost is read back when what lies above it has been served. Nothing of the order
// changes. What is never written to the file is the top of the least bucket and the executions that others
// depart from.
//
// A search that keeps more of its executions than the tree does (Settings::keeps_inner) can lose none of
// their nodes. Then a plan is written as its last departure alone, and what it departs from stays in memory.
//
// Where the file fails, what is in it is lost, or the memory would grow without end. Then pop() gives nothing
// more, and problem() says why: the search is not exhausted.
//
// Thread safety: none. Tested by fringe_test.cpp, and by the oracle through the strategies that use it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/frontier/execution_tree.hpp"
#include "search/frontier/spill_file.hpp"
#include "search/strategy.hpp"

namespace thrum {

class Fringe {
 public:
  using Node = ExecutionTree::Node;
  using Key = std::uint64_t;

  struct Settings {
    std::uint64_t memory_max = 0;       // bytes of tree and fringe
    MakeSpillFile make_file = nullptr;  // nullptr: no limit, whatever memory_max says
    bool measure = false;               // nodes of a tree of partial schedules are counted too; then no limit
    bool keeps_inner = false;           // nodes from which others depart stay in memory
  };

  // A plan that waits, or that has been taken and holds its node.
  struct Waiting {
    Node node = ExecutionTree::kRoot;
    std::uint16_t cost = 0;
    bool again = false;  // it has run, and waits for a second run
  };

  explicit Fringe(Settings settings) : settings_(settings) {
    if (!settings.measure) return;
    settings_.make_file = nullptr;
    tree_.measure();
  }
  Fringe(Fringe&&) = default;
  Fringe& operator=(Fringe&&) = default;

  // The greatest cost that is told from others: ChoicePoint::cost_before holds no more.
  static constexpr std::uint32_t kCostMax = 0xffff;

  // A plan that is to wait: what `from` stands for, departed from once more. step: where, for statistics.
  void push(Node from, const Departure& departure, std::uint32_t step, Key key, std::uint32_t cost) {
    push_node({tree_.add(from, departure, step), limited(cost), false}, key);
  }
  // As ExecutionTree::note_length().
  void note_length(std::uint32_t steps) { tree_.note_length(steps); }
  // A node for a plan that does not wait, held by the caller until release().
  Node add(Node from, const Departure& departure, std::uint32_t step) {
    return tree_.add(from, departure, step);
  }
  // A plan that is to wait, by several departures at that step.
  void push_path(Node from, std::span<const Departure> departures, std::uint32_t step, Key key,
                 std::uint32_t cost);
  // A plan is left out for its cost.
  void exclude() { excluded_ = true; }
  // The plan of these departures, `again` or not.
  void push_plan(const std::vector<Departure>& departures, Key key, std::uint32_t cost, bool again = false);
  // What has been taken waits for a second run, for what departs from it at this cost; it is not released
  // then.
  void push_again(Waiting taken, Key key, std::uint32_t cost) {
    push_node({taken.node, limited(cost), true}, key);
  }

  // Takes the plan that is next. The caller releases it. False: none waits, or problem() says why not.
  bool pop(Waiting& taken);
  void path(const Waiting& taken, std::vector<Departure>& departures) const {
    tree_.path(taken.node, departures);
  }
  // The nodes of the path.
  void lineage(const Waiting& taken, std::vector<Node>& nodes) const { tree_.lineage(taken.node, nodes); }
  void release(const Waiting& taken) { tree_.release(taken.node); }
  // As ExecutionTree::release().
  template <typename Gone>
  void release(Node node, Gone gone) {
    tree_.release(node, gone);
  }

  // Sees that the limit on memory is kept. To be called now and then, once an execution say. besides: bytes
  // that the search takes for nodes that live.
  void settle(std::uint64_t besides = 0) {
    besides_ = besides;
    nodes_max_ = tree_.live() > nodes_max_ ? tree_.live() : nodes_max_;
    if (bytes() > settings_.memory_max && settings_.make_file != nullptr) spill();
  }

  std::size_t size() const { return in_memory_ + in_file_; }
  // Strategy::is_small().
  bool is_small() const { return size() < 1024; }
  // The least key of what waits, which is served next; and how many have it.
  std::optional<Key> first_key() const {
    return buckets_.empty() ? std::nullopt : std::optional(buckets_.begin()->first);
  }
  std::size_t first_size() const;
  std::string problem() const { return problem_; }

  // What is proved, if all that was taken has been run, and what departs from it pushed or excluded.
  Guarantee guarantee(Base base, std::optional<std::uint32_t> limit) const;

  // The older half of each bucket, of what lies in memory, goes to other, which is empty: plans that depart
  // early have the most below them. Where a bucket cannot be halved, the odd one goes now to the other, now
  // to neither, so that both have something to do.
  void split(Fringe& other);
  // Takes over all that waits in other.
  void merge(Fringe& other);
  void save(ByteWriter& out, const ThreadNames& names) const;
  // REQUIRES: nothing waits. Bytes that save() did not write fail `in`.
  void load(ByteReader& in, ThreadNames& names);
  // The same with the numbers of the nodes, and threads by their ids, for a search that knows its executions
  // by them (Settings::keeps_inner): to be read on the same machine.
  void save_with_nodes(ByteWriter& out) const;
  // REQUIRES: nothing was pushed.
  void load_with_nodes(ByteReader& in);

  SearchStatistics statistics() const;

 private:
  static std::uint16_t limited(std::uint32_t cost) {
    return static_cast<std::uint16_t>(cost < kCostMax ? cost : kCostMax);
  }
  // With what an allocator puts before it, a block fills cache lines and pages.
  static constexpr std::size_t kBlockMin = 14;
  static constexpr std::size_t kBlockMax = 1022;
  static constexpr std::size_t kBucketBytes = 160;  // an empty one, about

  // Plans in the file.
  struct Segment {
    std::uint64_t offset = 0;
    std::uint32_t size = 0;
    std::uint32_t count = 0;
    std::uint32_t cost_min = 0;
  };
  // A stack: below the segments, above them the blocks, the oldest first in both. No block is empty.
  struct Bucket {
    std::vector<Segment> segments;
    std::vector<std::vector<Waiting>> blocks;
  };
  struct SpilledPlan {
    Node parent =
        ExecutionTree::kRoot;  // where that stays in memory; departures holds the last one only then
    std::vector<Departure> departures;
    std::uint32_t cost = 0;
    bool again = false;
  };
  class Builder;

  void push_node(Waiting waiting, Key key) {
    Bucket* bucket = find(key);
    if (bucket->blocks.empty() || bucket->blocks.back().size() == bucket->blocks.back().capacity())
      add_block(*bucket);
    bucket->blocks.back().push_back(waiting);
    ++in_memory_;
  }
  Bucket* find(Key key) {
    Recent& recent = recent_[key % kRecent];
    if (recent.bucket == nullptr || recent.key != key) recent = {key, &buckets_[key]};
    return recent.bucket;
  }
  static void add_block(Bucket& bucket);
  void forget_bucket(Key key);
  std::uint64_t bytes() const {
    return tree_.live() * ExecutionTree::kNodeBytes + in_memory_ * sizeof(Waiting) +
           buckets_.size() * kBucketBytes + besides_;
  }
  std::size_t segment_plans_max() const;
  void put_back(const std::vector<SpilledPlan>& plans, Key key);

  void spill();
  bool spill_blocks(Bucket& bucket, std::size_t blocks);
  bool write_segment(const std::vector<Waiting>& plans, std::size_t begin, std::size_t end, Segment& segment);
  bool write_plans(const std::vector<SpilledPlan>& plans, Segment& segment);
  bool write_bytes(const std::string& bytes, Segment& segment);
  bool read_bytes(const Segment& segment, std::string& bytes) const;
  bool read_segment(const Segment& segment, std::vector<SpilledPlan>& plans) const;
  static void put_plan(ByteWriter& out, const std::vector<Departure>& before,
                       const std::vector<Departure>& plan, std::uint32_t cost, bool again);
  static bool parse(std::string_view bytes, std::uint32_t count, bool has_parents,
                    std::vector<SpilledPlan>& plans);
  bool unspill(Key key, Bucket& bucket);
  std::optional<std::uint32_t> cheapest() const;
  void leave_out(const Waiting& waiting);
  void fail();

  Settings settings_;
  ExecutionTree tree_;
  std::map<Key, Bucket> buckets_;  // none of them empty
  static constexpr std::size_t kRecent = 4;
  struct Recent {
    Key key = 0;
    Bucket* bucket = nullptr;
  };
  Recent recent_[kRecent];     // buckets found lately
  std::uint64_t besides_ = 0;  // as in settle()
  std::size_t in_memory_ = 0;  // plans that wait in memory
  std::size_t in_file_ = 0;    // plans that wait in the file
  bool excluded_ = false;
  std::uint32_t cost_max_ = 0;  // the dearest plan that was taken
  std::size_t nodes_max_ = 1;
  std::uint64_t spilled_ = 0;
  std::unique_ptr<SpillFile> file_;
  std::string problem_;
};

}  // namespace thrum
