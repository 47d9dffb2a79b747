// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/list_decisions.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace thrum {

namespace {

using Node = ThreadTrees::Node;
using Kind = ThreadTrees::Kind;

// Of the node, or of the last one before it in its thread.
std::uint64_t last_known_code(const ThreadTrees& trees, Node node) {
  const ThreadId thread = trees[node].thread;
  for (; node != ThreadTrees::kNone && trees[node].thread == thread; node = trees[node].parent) {
    std::uint64_t code = 0;
    if (trees[node].kind == Kind::event) code = trees.code(node);
    if (trees[node].kind == Kind::decision) code = trees.decision(node).place;
    if (code != 0) return code;
  }
  return 0;
}

}  // namespace

ShownDecisions list_decisions(const ThreadTrees& trees, std::span<const Node> undecided,
                              const std::function<std::string(Node)>& reason) {
  std::map<std::pair<ThreadId, std::uint64_t>, ShownRead> reads;
  std::map<std::pair<ThreadId, std::uint64_t>, std::set<std::uint64_t>> values;
  for (Node node = 0; node < trees.size(); ++node) {
    if (trees[node].kind != Kind::decision || trees[trees[node].parent].kind != Kind::read) continue;
    const ThreadTrees::Decision& decision = trees.decision(node);
    const ThreadTrees::Access& access = trees.access(trees[node].parent);
    const std::pair key(trees[node].thread, decision.place);
    ShownRead& read = reads[key];
    if (read.ways++ == 0) {
      std::tie(read.thread, read.code) = key;
      read.object = access.object;
      read.size = access.size;
    }
    if (read.object != access.object) read.object = 0;
    read.size = std::max(read.size, access.size);
    for (const Node outcome : decision.outcomes) values[key].insert(trees.value(outcome));
    const std::string why = reason(node);
    if (why.empty()) continue;
    if (read.undecided++ == 0) read.reason = why;
  }
  ShownDecisions shown;
  for (auto& [key, read] : reads) {
    read.values.assign(values[key].begin(), values[key].end());
    shown.reads.push_back(std::move(read));
  }
  std::set<std::tuple<ThreadId, std::uint64_t, std::string>> places;
  for (const Node node : undecided)
    places.emplace(trees[node].thread, last_known_code(trees, node), reason(node));
  for (const auto& [thread, code, why] : places) shown.undecided.push_back({thread, code, why});
  return shown;
}

}  // namespace thrum
