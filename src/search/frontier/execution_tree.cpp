// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/frontier/execution_tree.hpp"

#include <algorithm>

#include "support/check.hpp"

namespace thrum {

ExecutionTree::ExecutionTree() {
  chunks_.push_back(std::make_unique_for_overwrite<Entry[]>(kChunk));
  at(kRoot) = Entry{kNone, 0, 0, 0, 1, 0, 0};
  used_ = 1;
}

ExecutionTree::Node ExecutionTree::add(Node parent, const Departure& departure, std::uint32_t step) {
  Entry entry{parent,
              departure.key.index,
              departure.key.thread,
              departure.option.value,
              1,
              static_cast<std::uint32_t>(departure.key.kind) & 7,
              static_cast<std::uint32_t>(departure.option.via) & 7};
  hold(parent);
  ++live_;
  Node node = free_;
  if (node == kNone) {
    THRUM_CHECK(used_ < kNone);
    node = used_++;
    if (node >> kChunkBits == chunks_.size())
      chunks_.push_back(std::make_unique_for_overwrite<Entry[]>(kChunk));
  } else {
    free_ = at(node).parent;
  }
  at(node) = entry;
  if (measured_) {
    if (steps_.size() <= node) {
      steps_.resize(node + 1);
      lengths_.resize(node + 1);
    }
    steps_[node] = step;
    lengths_[node] = length_;
  }
  return node;
}

void ExecutionTree::hold(Node node) {
  Entry& entry = at(node);
  entry.children = (entry.children + 1) & 0x3ffffff;
  THRUM_CHECK(entry.children != 0);
}

void ExecutionTree::free(Node node) {
  THRUM_CHECK(node != kRoot);
  at(node).parent = free_;
  free_ = node;
  --live_;
}

Departure ExecutionTree::departure(Node node) const {
  const Entry& entry = at(node);
  return {{entry.thread, static_cast<ChoiceKind>(entry.kind), entry.index},
          {entry.option, static_cast<Via>(entry.via)}};
}

void ExecutionTree::path(Node node, std::vector<Departure>& departures) const {
  departures.clear();
  for (; node != kRoot; node = at(node).parent) departures.push_back(departure(node));
  std::reverse(departures.begin(), departures.end());
}

void ExecutionTree::lineage(Node node, std::vector<Node>& nodes) const {
  nodes.clear();
  for (; node != kRoot; node = at(node).parent) nodes.push_back(node);
  std::reverse(nodes.begin(), nodes.end());
}

// Of each execution that has children the tree of partial schedules holds the steps up to the last one's.
ExecutionTree::Uncompressed ExecutionTree::uncompressed() const {
  THRUM_CHECK(measured_);
  constexpr std::uint32_t kNoChild = 0xffffffff;
  std::vector<std::uint32_t> last(used_, kNoChild);  // the step of the last child
  for (Node node = 1; node < used_; ++node) {
    const Entry& entry = at(node);
    if (entry.children == 0) continue;  // free
    std::uint32_t& latest = last[entry.parent];
    latest = latest == kNoChild ? steps_[node] : std::max(latest, steps_[node]);
  }
  Uncompressed count;
  count.tree = live_;  // each departs by one step; the root is the beginning
  for (Node node = 0; node < used_; ++node) {
    if (at(node).children == 0) continue;
    std::uint32_t begin = node == kRoot ? 0 : steps_[node] + 1;
    if (last[node] == kNoChild) {
      count.apart += begin;
      if (node != kRoot && lengths_[node] > begin) count.complete += lengths_[node] - begin;
    } else if (last[node] > begin) {
      count.tree += last[node] - begin;
    }
  }
  count.complete += count.tree;
  return count;
}

void ExecutionTree::save(ByteWriter& out) const {
  out.put(used_);
  out.put(free_);
  out.put(std::uint64_t{live_});
  out.put(measured_);
  std::vector<Entry> entries;
  for (std::uint32_t first = 0; first < used_; first += kChunk) {
    const Entry* chunk = chunks_[first >> kChunkBits].get();
    entries.assign(chunk, chunk + std::min(kChunk, used_ - first));
    out.put_all(entries);
    out.settle();
  }
  out.put_all(steps_);
  out.put_all(lengths_);
}

void ExecutionTree::load(ByteReader& in) {
  used_ = in.get<std::uint32_t>();
  free_ = in.get<Node>();
  live_ = in.get<std::uint64_t>();
  measured_ = in.get<bool>();
  chunks_.clear();
  std::vector<Entry> entries;
  for (std::uint32_t first = 0; first < used_ && in.ok(); first += kChunk) {
    in.get_all(entries);
    if (entries.size() != std::min(kChunk, used_ - first)) return in.fail();
    chunks_.push_back(std::make_unique_for_overwrite<Entry[]>(kChunk));
    std::copy(entries.begin(), entries.end(), chunks_.back().get());
  }
  in.get_all(steps_);
  in.get_all(lengths_);
}

}  // namespace thrum
