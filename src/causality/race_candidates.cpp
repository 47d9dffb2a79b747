// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/race_candidates.hpp"

#include <algorithm>
#include <utility>

#include "causality/cells.hpp"

namespace thrum {

// Operations on a synchronization object count as atomic writes of its first bytes, and to destroy a lock as
// a plain one.
RaceCandidates::Access RaceCandidates::access(Node node) const {
  using Kind = ThreadTrees::Kind;
  if (trees_[node].kind == Kind::read || trees_[node].kind == Kind::write) {
    const ThreadTrees::Access& own = trees_.access(node);
    return {own.object,     own.size,    own.is_atomic,
            own.in_section, own.is_free, trees_[node].kind == Kind::write};
  }
  if (trees_[node].kind != Kind::event || !uses_object(trees_.operation(node).operation)) return {};
  constexpr std::uint32_t kPart = 4;
  constexpr std::uint32_t kLock = 8;
  const bool destroys = trees_.operation(node).operation == Operation::lock_destroy;
  return {trees_.operation(node).object, destroys ? kLock : kPart, !destroys, false, false, true};
}

RaceCandidates::RaceCandidates(const ThreadTrees& trees) : trees_(trees) {
  Cells cells;
  std::vector<Node> accesses;
  for (Node node = 0; node < trees.size(); ++node) {
    if (trees[node].kind == ThreadTrees::Kind::event && trees.begins_step(node)) note_step(node);
    const Access own = access(node);
    if (own.size == 0) continue;
    cells.add(own.object, own.size);
    accesses.push_back(node);
  }
  struct Accesses {
    std::vector<Node> writes;
    std::vector<Node> reads;
    bool is_plain = false;
  };
  std::vector<Accesses> by_cell(cells.size());
  for (const Node node : accesses) {
    const Access own = access(node);
    for (const Cells::Cell& cell : cells.of(own.object, own.size)) {
      Accesses& there = by_cell[cell.number];
      (own.writes ? there.writes : there.reads).push_back(node);
      there.is_plain = there.is_plain || !own.is_atomic || own.is_free;
    }
  }
  for (const Accesses& there : by_cell) {
    if (there.is_plain) add_pairs(there.writes, there.reads);
  }
  for (std::vector<Pair>* pairs : {&races_, &uses_of_freed_}) {
    std::ranges::sort(*pairs);
    const auto repeated = std::ranges::unique(*pairs);
    pairs->erase(repeated.begin(), repeated.end());
  }
}

void RaceCandidates::add_pairs(std::span<const Node> writes, std::span<const Node> reads) {
  for (std::size_t i = 0; i < writes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) add_pair(writes[i], writes[j], writes[i]);
    for (const Node read : reads) add_pair(writes[i], read, read);
    if (!access(writes[i]).is_free) continue;
    for (const Node write : writes) add_use_of_freed(writes[i], write);
    for (const Node read : reads) add_use_of_freed(writes[i], read);
  }
  // A read-modify-write that changes nothing is a write all the same.
  for (const Node update : reads) {
    const std::vector<Node> cases = cases_of_update(update);
    for (const Node read : reads) {
      if (access(read).is_atomic) continue;
      for (const Node one : cases) add_pair(update, read, one);
    }
  }
}

// Where the operation that reads there leaves the value as it was: wherever it is executed, or behind some
// values. Nothing: it is no read-modify-write.
std::vector<RaceCandidates::Node> RaceCandidates::cases_of_update(Node read) const {
  if (trees_.access(read).is_update) return {read};
  std::vector<Node> cases;
  const Node decision = trees_.next_of(read);
  if (decision == ThreadTrees::kNone || trees_[decision].kind != ThreadTrees::Kind::decision) return cases;
  for (const Node outcome : trees_.decision(decision).outcomes) {
    if (trees_.leaves_value(outcome)) cases.push_back(outcome);
  }
  return cases;
}

// Whether an invariant reads it, which is no race.
bool RaceCandidates::is_of_check(Node node) const {
  const Node step = trees_[node].step;
  return trees_[step].kind == ThreadTrees::Kind::event &&
         trees_.operation(step).operation == Operation::invariant;
}

void RaceCandidates::add_pair(Node a, Node b, Node condition) {
  const Access one = access(a);
  const Access other = access(b);
  if ((one.is_atomic && other.is_atomic) || (one.in_section && other.in_section)) return;
  if (is_of_check(a) || is_of_check(b)) return;
  if (trees_.relation(a, b) != ThreadTrees::Relation::concurrent) return;
  if (!share_a_lock(a, b) && !is_joined(a, b) && !is_joined(b, a))
    races_.push_back({std::min(a, b), std::max(a, b), condition});
}

void RaceCandidates::add_use_of_freed(Node free, Node access) {
  if (free == access || trees_.relation(free, access) != ThreadTrees::Relation::concurrent) return;
  if (!is_joined(access, free)) uses_of_freed_.push_back({free, access, access});
}

void RaceCandidates::note_step(Node step) {
  Before own = before(trees_[step].parent);
  const ThreadTrees::Operation& operation = trees_.operation(step);
  switch (operation.operation) {
    case Operation::lock: own.held.push_back(operation.object); break;
    case Operation::try_lock:
      if (operation.way == 0) own.held.push_back(operation.object);
      break;
    case Operation::wait_reacquire: own.held.push_back(operation.operand); break;
    case Operation::unlock: std::erase(own.held, operation.object); break;
    case Operation::wait_release: std::erase(own.held, operation.operand); break;
    case Operation::thread_join: own.joined.push_back(operation.other); break;
    case Operation::others_ended: own.joined.push_back(kNoThread); break;
    default: break;
  }
  steps_.emplace(step, std::move(own));
}

// A thread that was just created stands in its creator's step: it holds nothing, and has joined nobody.
const RaceCandidates::Before& RaceCandidates::before(Node node) const {
  static const Before kNothing;
  const Node step = trees_[node].step;
  const auto known = steps_.find(step);
  return known == steps_.end() || trees_[step].thread != trees_[node].thread ? kNothing : known->second;
}

bool RaceCandidates::share_a_lock(Node a, Node b) const {
  const std::vector<std::uint64_t>& of_b = before(b).held;
  return std::ranges::any_of(
      before(a).held, [&](std::uint64_t mutex) { return std::ranges::find(of_b, mutex) != of_b.end(); });
}

// Whether b comes behind a join of a's thread.
bool RaceCandidates::is_joined(Node a, Node b) const {
  return std::ranges::any_of(
      before(b).joined, [&](ThreadId joined) { return joined == trees_[a].thread || joined == kNoThread; });
}

}  // namespace thrum
