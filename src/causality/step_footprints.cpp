// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/step_footprints.hpp"

#include <algorithm>
#include <map>

namespace thrum {

void StepFootprints::Footprint::add(const Footprint& other) {
  for (std::size_t i = 0; i < other.reads.size(); ++i) reads[i] |= other.reads[i];
  for (std::size_t i = 0; i < other.writes.size(); ++i) writes[i] |= other.writes[i];
  may_end_execution = may_end_execution || other.may_end_execution;
}

bool StepFootprints::Footprint::conflicts_with(const Footprint& other) const {
  const std::size_t words = std::min(writes.size(), other.writes.size());
  for (std::size_t i = 0; i < words; ++i) {
    if ((writes[i] & (other.reads[i] | other.writes[i])) != 0 || (reads[i] & other.writes[i]) != 0)
      return true;
  }
  return false;
}

void StepFootprints::resize(Footprint& footprint) const {
  const std::size_t words = (machine_.objects() + atomics_ + 1 + 63) / 64;
  footprint.reads.assign(words, 0);
  footprint.writes.assign(words, 0);
}

void StepFootprints::take(bool sections_depend) {
  sections_depend_ = sections_depend;
  number_atomics();
  steps_.assign(trees_.size(), {});
  behind_.assign(trees_.size(), {});
  for (Node node = 0; node < trees_.size(); ++node) {
    if (trees_.begins_step(node)) resize(steps_[node]);
    resize(behind_[node]);
  }
  for (Node node = 0; node < trees_.size(); ++node) add_own(node);
  add_ends();
  for (auto node = static_cast<Node>(trees_.size()); node-- > 1;) {
    Footprint& above = behind_[trees_[node].parent];
    above.add(behind_[node]);
    if (trees_.begins_step(node)) above.add(steps_[node]);
  }
}

void StepFootprints::add_bit(std::size_t bit, std::vector<std::uint64_t>& bits) {
  bits[bit / 64] |= std::uint64_t{1} << bit % 64;
}

bool StepFootprints::counts(Node access) const {
  return trees_.access(access).is_atomic || trees_.access(access).in_section;
}

void StepFootprints::number_atomics() {
  using Kind = ThreadTrees::Kind;
  bits_.assign(machine_.cells(), kNoBit);
  atomics_ = 0;
  for (Node node = 0; node < trees_.size(); ++node) {
    const bool is_access = trees_[node].kind == Kind::read || trees_[node].kind == Kind::write;
    if (!is_access || !counts(node)) continue;
    machine_.visit_cells(node, [&](std::uint32_t cell) {
      if (bits_[cell] == kNoBit) bits_[cell] = static_cast<std::uint32_t>(machine_.objects() + atomics_++);
    });
  }
}

void StepFootprints::add_access(Node node, Footprint& own) const {
  if (!counts(node)) return;
  std::vector<std::uint64_t>& bits = trees_[node].kind == ThreadTrees::Kind::read ? own.reads : own.writes;
  machine_.visit_cells(node, [&](std::uint32_t cell) { add_bit(bits_[cell], bits); });
}

void StepFootprints::add_object(std::uint32_t object, bool is_shared, Footprint& own) const {
  if (object == TreeMachine::kNoObject) return;
  add_bit(object, is_shared ? own.reads : own.writes);
}

void StepFootprints::add_own(Node node) {
  using Kind = ThreadTrees::Kind;
  Footprint& own = steps_[trees_[node].step];
  switch (trees_[node].kind) {
    case Kind::read:
    case Kind::write: return add_access(node, own);
    case Kind::stop: own.may_end_execution = true; return;
    case Kind::event: break;
    default: return;
  }
  const Operation operation = trees_.operation(node).operation;
  const bool is_shared = operation == Operation::shared_lock || operation == Operation::shared_unlock ||
                         operation == Operation::barrier_leave;
  add_object(machine_.object_of(node), is_shared, own);
  add_object(machine_.mutex_of(node), false, own);
  if (operation == Operation::atomic_section && sections_depend_)
    add_bit(machine_.objects() + atomics_, own.writes);
  if (operation == Operation::process_exit) own.may_end_execution = true;
  // Of a wait on a condition variable, or on a futex.
  const Node wait = trees_[node].parent;
  if (operation != Operation::timeout || trees_.operation(node).operand != 0) return;
  for (Node other = trees_[wait].first_child; other != ThreadTrees::kNone;
       other = trees_[other].next_sibling) {
    if (trees_[other].kind == Kind::event && other != node) add_object(machine_.object_of(other), false, own);
  }
  if (trees_[wait].kind == Kind::event) add_object(machine_.object_of(wait), false, own);
}

// Where a thread ends, others go on behind their joins of it, and may end the execution there; a join may
// follow another one.
void StepFootprints::add_ends() {
  using Kind = ThreadTrees::Kind;
  std::map<ThreadId, bool> ends;  // whether the thread's end may be the end of the execution
  bool ends_with_others = false;
  for (bool changes = true; changes;) {
    changes = false;
    for (Node node = 0; node < trees_.size(); ++node) {
      Footprint& own = steps_[trees_[node].step];
      const bool is_join = trees_[node].kind == Kind::event && trees_.begins_step(node) &&
                           !is_visible(trees_.operation(node).operation);
      if (trees_[node].kind == Kind::end && (ends[trees_[node].thread] || ends_with_others) &&
          !own.may_end_execution)
        changes = own.may_end_execution = true;
      if (!is_join || !steps_[node].may_end_execution) continue;
      Footprint& before = steps_[trees_[trees_[node].parent].step];
      bool& of_joined = trees_.operation(node).operation == Operation::thread_join
                            ? ends[trees_.operation(node).other]
                            : ends_with_others;
      changes = changes || !before.may_end_execution || !of_joined;
      before.may_end_execution = of_joined = true;
    }
  }
}

}  // namespace thrum
