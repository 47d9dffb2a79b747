// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unfolding/deadlocks.hpp"

#include <algorithm>

namespace thrum {

bool Deadlocks::next(std::vector<Mark>& marks) {
  const std::size_t roots = prefix_.blocked().size() + prefix_.spins().size();
  for (; root_ < roots && steps_left_ != 0; ++root_) {
    if (!search_from(root_)) continue;
    marks = found_;
    return true;
  }
  return false;
}

// First come threads that wait for an object, then those that wait in loops.
bool Deadlocks::search_from(std::size_t root) {
  while (!decided_.empty()) undo();
  if (root < prefix_.blocked().size()) {
    const Prefix::Blocked pair = prefix_.blocked()[root];
    if (prefix_.goes_on(pair.thread, pair.object)) return false;
    if (!prefix_.joins(prefix_.cone_of(pair.thread), prefix_.cone_of(pair.object))) return false;
    decide(pair.thread);
    object_ = pair.object;
  } else {
    const Condition thread = prefix_.spins()[root - prefix_.blocked().size()].thread;
    prefix_.joins(prefix_.cone_of(thread), {});
    decide(thread);
    object_ = thread;
  }
  const std::vector<Mark> marks = prefix_.united();
  return holds(marks) && search(marks);
}

Deadlocks::Slot Deadlocks::joined(Condition thread) const {
  return prefix_.spin_at(thread) == nullptr ? prefix_.next(thread).joins : Prefix::kNone;
}

// Whether an operation on the object that the thread waits for, or on what its loop reads, may end its wait.
bool Deadlocks::may_end_wait(Condition thread, Condition at) const {
  const Prefix::Spin* spin = prefix_.spin_at(thread);
  if (spin == nullptr) return prefix_.may_touch(at, prefix_.next(thread).object);
  return std::ranges::any_of(spin->reads, [&](const Mark& read) { return prefix_.may_touch(at, read.slot); });
}

bool Deadlocks::search(const std::vector<Mark>& marks) {
  if (prefix_.passes_round(marks)) return false;  // the same deadlock comes about without the round
  const Choice choice = undecided(marks);
  return choice.thread == Prefix::kNone ? is_deadlock(marks) : choose(marks, choice);
}

void Deadlocks::decide(Condition thread) {
  const Slot slot = prefix_.slots().slot(thread);
  if (is_decided_.size() <= slot) is_decided_.resize(slot + std::size_t{1});
  is_decided_[slot] = true;
  decided_.push_back(thread);
}

void Deadlocks::undo() {
  is_decided_[prefix_.slots().slot(decided_.back())] = false;
  decided_.pop_back();
}

// A thread that is to be decided on, or the one that is to be decided on before, since it creates that.
Deadlocks::Choice Deadlocks::undecided(const std::vector<Mark>& marks) const {
  Choice choice = needed(marks);
  const ConditionTrees& slots = prefix_.slots();
  while (choice.thread != Prefix::kNone && slots.depth(prefix_.at(marks, choice.thread)) == 0) {
    const Slot creator = prefix_.creator(choice.thread);
    if (creator == Prefix::kNone || is_decided(creator)) break;
    choice = {creator, As::any};
  }
  return choice;
}

// A thread that might end one of the waits, or everything, or whose end one of the threads has seen. Those
// that may do something on an object that is waited for come first: mostly they cannot wait.
Deadlocks::Choice Deadlocks::needed(const std::vector<Mark>& marks) const {
  const auto find = [&](auto is_needed) {
    const auto thread = std::ranges::find_if(prefix_.thread_slots(), [&](Slot one) {
      return !is_decided(one) && is_needed(prefix_.at(marks, one));
    });
    return thread == prefix_.thread_slots().end() ? Prefix::kNone : *thread;
  };
  for (const Condition one : decided_) {
    if (!waits(one) || joined(one) != Prefix::kNone) continue;
    const Slot thread = find([&](Condition at) { return may_end_wait(one, at); });
    if (thread != Prefix::kNone) return {thread, As::any};
  }
  for (const Condition one : decided_) {
    for (const Slot ended : prefix_.ended_before(one)) {
      if (!is_decided(ended)) return {ended, As::ended};
    }
    if (!waits(one)) continue;
    const Slot other = joined(one);
    if (other != Prefix::kNone && !is_decided(other)) return {other, As::waiting};
  }
  return {find([&](Condition at) { return prefix_.may_stop(at); }), As::any};
}

// Whether the thread's last event ended the process.
bool Deadlocks::ends_process(Condition thread) const {
  const Prefix::Event last = prefix_.slots().event(thread);
  return last != Prefix::kNone && prefix_.step(last).operation == Operation::process_exit;
}

bool Deadlocks::fits(Condition condition, const Choice& choice) const {
  if (prefix_.is_ended(condition)) return choice.as != As::waiting && !ends_process(condition);
  if (choice.as == As::ended) return false;
  // It was not created yet.
  const ConditionTrees& slots = prefix_.slots();
  if (slots.depth(condition) == 0 && prefix_.thread_of(choice.thread) != kMainThread) return true;
  if (prefix_.spin_at(condition) != nullptr) return true;
  if (!prefix_.has_next(condition)) return false;
  return prefix_.next(condition).joins != Prefix::kNone || prefix_.next(condition).may_wait;
}

// Whether all threads that were decided on, and the object of the first, are as they were decided to be.
bool Deadlocks::holds(const std::vector<Mark>& marks) const {
  const ConditionTrees& slots = prefix_.slots();
  const auto is_held = [&](Condition one) { return prefix_.at(marks, slots.slot(one)) == one; };
  // Nor has what a loop has read been written since.
  const auto is_read = [&](const Mark& read) { return prefix_.at(marks, read.slot) == read.condition; };
  const auto may_have_ended = [&](Slot thread) {
    return !is_decided(thread) || prefix_.is_ended(prefix_.at(marks, thread));
  };
  return is_held(object_) && std::ranges::all_of(decided_, [&](Condition one) {
           const Prefix::Spin* spin = prefix_.spin_at(one);
           return is_held(one) && std::ranges::all_of(prefix_.ended_before(one), may_have_ended) &&
                  (spin == nullptr || std::ranges::all_of(spin->reads, is_read));
         });
}

bool Deadlocks::choose(const std::vector<Mark>& marks, const Choice& choice) {
  const ConditionTrees& slots = prefix_.slots();
  std::vector<Condition> rest = {prefix_.at(marks, choice.thread)};
  constexpr std::uint64_t kPairs = 64;  // of threads, that are looked at in a step
  const std::uint64_t steps = 1 + decided_.size() * prefix_.thread_slots().size() / kPairs;
  while (!rest.empty()) {
    if (steps_left_ == 0) return false;
    steps_left_ -= std::min(steps_left_, steps);
    const Condition condition = rest.back();
    rest.pop_back();
    if (!prefix_.joins(marks, prefix_.cone_of(condition))) continue;
    const std::vector<Mark> both = prefix_.united();
    if (!holds(both)) continue;  // nor do those below it
    if (prefix_.at(both, choice.thread) == condition && fits(condition, choice)) {
      decide(condition);
      if (holds(both) && search(both)) return true;
      undo();
    }
    for (Condition child = slots.first_child(condition); child != Prefix::kNone;
         child = slots.next_sibling(child))
      rest.push_back(child);
  }
  return false;
}

bool Deadlocks::is_deadlock(const std::vector<Mark>& marks) {
  last_.clear();
  for (const Mark& mark : marks) {
    if (prefix_.thread_of(mark.slot) != kNoThread && prefix_.is_failed(mark.condition)) return false;
  }
  for (const Condition one : decided_) {
    if (!waits(one)) continue;
    const Prefix::Spin* spin = prefix_.spin_at(one);
    const Slot other = joined(one);
    if (other != Prefix::kNone && prefix_.is_ended(prefix_.at(marks, other))) return false;
    if (other != Prefix::kNone) continue;
    const Event& next = spin != nullptr ? prefix_.step_numbered(spin->step) : prefix_.next_step(one);
    if (spin == nullptr && prefix_.goes_on(one, prefix_.at(marks, prefix_.next(one).object))) return false;
    last_.insert({next.thread, next.operation, next.object});
  }
  last_decided_ = decided_;
  std::ranges::sort(last_decided_);
  if (known_.contains(last_) || denied_.contains(last_decided_)) return false;
  found_ = marks;
  return true;
}

}  // namespace thrum
