// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/final_states.hpp"

#include <algorithm>
#include <map>

namespace thrum {

FinalStates::FinalStates(NodeEncoding& nodes, DataEncoding& data, SyncEncoding& sync)
    : nodes_(nodes),
      sync_(sync),
      is_maximal_(nodes.solver().make_literal()),
      is_deadlock_(nodes.solver().make_literal()),
      is_misuse_(nodes.solver().make_literal()) {
  const ThreadTrees& trees = nodes_.trees();
  nodes_.add({-is_deadlock_, is_maximal_});
  for (Node node = 0; node < trees.size(); ++node) {
    if (trees[node].kind == ThreadTrees::Kind::end) lasts_.emplace(node, nodes_.executed(node));
    const Node next = trees.next_of(node);
    if (next != ThreadTrees::kNone && trees.begins_step(next)) add_standing(node);
  }
  add_waits(data);
  std::vector<Literal> some = {-is_deadlock_};
  for (const Standing& standing : standings_) some.push_back(standing.stands);
  nodes_.add(some);
  add_misuses();
}

bool FinalStates::only_reads(Node wait) const {
  const ThreadTrees& trees = nodes_.trees();
  const Node begin = trees.round(wait).begin;
  if (begin == ThreadTrees::kNone) return false;
  for (Node node = trees[wait].parent; node != trees[begin].parent; node = trees[node].parent) {
    if (trees[node].kind == ThreadTrees::Kind::write) return false;
    if (trees[node].kind != ThreadTrees::Kind::event) continue;
    switch (trees.operation(node).operation) {
      case Operation::load:
      case Operation::read_modify_write:
      case Operation::compare_exchange:
      case Operation::fence:
      case Operation::yield: break;
      default: return false;
    }
  }
  return true;
}

// Nothing that the round has read is written behind it. (If another round can be done there, it can be done
// last in another execution.)
void FinalStates::add_waits(DataEncoding& data) {
  const ThreadTrees& trees = nodes_.trees();
  std::vector<Node> waits;
  for (Node node = 0; node < trees.size(); ++node) {
    if (trees[node].kind == ThreadTrees::Kind::wait) waits.push_back(node);
  }
  const bool all_only_read = std::ranges::all_of(waits, [this](Node wait) { return only_reads(wait); });
  for (const Node wait : waits) {
    const Literal waits_there = nodes_.executed(wait);
    lasts_.emplace(wait, waits_there);
    standings_.push_back({waits_there, wait});
    if (!all_only_read) continue;
    const Literal is_stuck = nodes_.solver().make_literal();
    nodes_.add({-is_deadlock_, -waits_there, is_stuck});
    const Node above = trees[trees.round(wait).begin].parent;
    for (Node node = trees[wait].parent; node != above; node = trees[node].parent) {
      if (trees[node].kind == ThreadTrees::Kind::read) data.say_final(is_stuck, node);
    }
  }
}

FinalStates::Literal FinalStates::add_misuse(Node operation, Literal stands) {
  const Literal is_so = nodes_.solver().make_literal();
  nodes_.add({-is_so, stands});
  misuses_.push_back({is_so, operation});
  return is_so;
}

// A lock must not be destroyed while it is held, or while who waits for a condition is to have it again; and
// who finds it free must not find it destroyed.
void FinalStates::add_misuses() {
  const ThreadTrees& trees = nodes_.trees();
  for (Node destroy = 0; destroy < trees.size(); ++destroy) {
    if (trees[destroy].kind != ThreadTrees::Kind::event) continue;
    if (trees.operation(destroy).operation != Operation::lock_destroy) continue;
    const std::uint64_t lock = trees.operation(destroy).object;
    const Literal stands_there = lasts_.at(trees[destroy].parent);
    sync_.say_taken(lock, ThreadTrees::kNone, add_misuse(destroy, stands_there));
    for (const Standing& standing : standings_) {
      if (trees[standing.operation].kind != ThreadTrees::Kind::event) continue;
      const ThreadTrees::Operation& next = trees.operation(standing.operation);
      if (next.operation == Operation::wait_reacquire && next.operand == lock)
        nodes_.add({-add_misuse(destroy, stands_there), standing.stands});
      if (!takes_lock(next.operation) || next.object != lock) continue;
      nodes_.add({-add_misuse(standing.operation, standing.stands), nodes_.executed(destroy)});
      nodes_.add({-is_maximal_, -standing.stands, -nodes_.executed(destroy)});
    }
  }
  std::vector<Literal> some = {-is_misuse_};
  for (const Misuse& misuse : misuses_) some.push_back(misuse.is_so);
  nodes_.add(some);
}

FinalStates::Node FinalStates::misuse() const {
  for (const Misuse& misuse : misuses_) {
    if (nodes_.solver().is_true(misuse.is_so)) return misuse.operation;
  }
  return ThreadTrees::kNone;
}

// The thread may stand there in the end.
void FinalStates::add_standing(Node node) {
  const ThreadTrees& trees = nodes_.trees();
  const Literal stands = nodes_.solver().make_literal();
  std::vector<Literal> goes_on = {-nodes_.executed(node), stands};
  nodes_.add({-stands, nodes_.executed(node)});
  for (Node next = trees[node].first_child; next != ThreadTrees::kNone; next = trees[next].next_sibling) {
    if (trees[next].kind == ThreadTrees::Kind::start) continue;
    goes_on.push_back(nodes_.executed(next));
    nodes_.add({-stands, -nodes_.executed(next)});
    const Literal stands_in_the_end = nodes_.solver().make_literal();
    nodes_.add({-is_maximal_, -stands, stands_in_the_end});
    const ThreadTrees::Operation& own = trees.operation(next);
    if (own.operation != Operation::timeout) {
      sync_.say_disabled(stands_in_the_end, next);
    } else if (own.operand != 0) {
      nodes_.add({-stands_in_the_end});  // its time would run out
    }
  }
  nodes_.add(goes_on);
  lasts_.emplace(node, stands);
  // Main has left.
  if (trees.operation(trees.next_of(node)).operation == Operation::others_ended) return;
  standings_.push_back({stands, trees.next_of(node)});
}

void FinalStates::exclude_misuse(Node operation) {
  for (const Misuse& misuse : misuses_) {
    if (misuse.operation == operation) nodes_.add({-misuse.is_so});
  }
}

void FinalStates::exclude(Literal what, std::span<const Node> lasts) {
  std::vector<Literal> differs = {-what};
  for (const Node node : lasts) {
    differs.push_back(-lasts_.at(node));
  }
  nodes_.add(differs);
}

std::uint64_t FinalStates::code_of(const Standing& standing) const {
  const ThreadTrees& trees = nodes_.trees();
  const bool waits_in_loop = trees[standing.operation].kind == ThreadTrees::Kind::wait;
  return waits_in_loop ? trees.round(standing.operation).code : trees.code(standing.operation);
}

bool FinalStates::joins(const Standing& standing) const {
  const ThreadTrees& trees = nodes_.trees();
  return trees[standing.operation].kind == ThreadTrees::Kind::event &&
         trees.operation(standing.operation).operation == Operation::thread_join;
}

// A place that is not known yet is none of those.
void FinalStates::exclude_deadlock(const std::set<std::uint64_t>& places) {
  std::vector<Literal> differs = {-is_deadlock_};
  std::map<std::uint64_t, std::vector<Literal>> there;
  for (const Standing& standing : standings_) {
    if (joins(standing)) continue;
    const std::uint64_t place = code_of(standing);
    if (places.contains(place)) {
      there[place].push_back(standing.stands);
    } else {
      differs.push_back(standing.stands);
    }
  }
  for (const auto& [place, stands] : there) {
    const Literal nobody = nodes_.solver().make_literal();
    for (const Literal literal : stands) nodes_.exclude_both(nobody, literal);
    differs.push_back(nobody);
  }
  nodes_.add(differs);
}

}  // namespace thrum
