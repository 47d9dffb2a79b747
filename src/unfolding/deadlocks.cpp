// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unfolding/deadlocks.hpp"

#include <algorithm>

namespace thrum {

bool Deadlocks::next(std::vector<Mark>& marks) {
  for (; root_ < prefix_.blocked().size() && steps_left_ != 0; ++root_) {
    const Prefix::Blocked pair = prefix_.blocked()[root_];
    if (prefix_.goes_on(pair.thread, pair.object)) continue;
    if (!prefix_.joins(prefix_.cone_of(pair.thread), prefix_.cone_of(pair.object))) continue;
    decided_.assign(1, pair.thread);
    object_ = pair.object;
    const std::vector<Mark> both = prefix_.united();
    if (!holds(both) || !search(both)) continue;
    marks = found_;
    return true;
  }
  return false;
}

bool Deadlocks::search(const std::vector<Mark>& marks) {
  const Choice choice = undecided(marks);
  return choice.thread == Prefix::kNone ? is_deadlock(marks) : choose(marks, choice);
}

bool Deadlocks::is_decided(Slot thread) const {
  return std::ranges::any_of(decided_, [&](Condition one) { return prefix_.slots().slot(one) == thread; });
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

// A thread that might end one of the waits, or everything, or whose end one of the threads has seen. Those that
// may do something on an object that is waited for come first: mostly they cannot wait.
Deadlocks::Choice Deadlocks::needed(const std::vector<Mark>& marks) const {
  const auto find = [&](auto is_needed) {
    const auto thread = std::ranges::find_if(prefix_.thread_slots(), [&](Slot one) {
      return !is_decided(one) && is_needed(prefix_.at(marks, one));
    });
    return thread == prefix_.thread_slots().end() ? Prefix::kNone : *thread;
  };
  for (const Condition one : decided_) {
    if (!waits(one) || prefix_.next(one).joins != Prefix::kNone) continue;
    const Slot object = prefix_.next(one).object;
    const Slot thread = find([&](Condition at) { return prefix_.may_touch(at, object); });
    if (thread != Prefix::kNone) return {thread, As::any};
  }
  for (const Condition one : decided_) {
    for (const Slot ended : prefix_.ended_before(one)) {
      if (!is_decided(ended)) return {ended, As::ended};
    }
    if (!waits(one)) continue;
    const Slot joined = prefix_.next(one).joins;
    if (joined != Prefix::kNone && !is_decided(joined)) return {joined, As::waiting};
  }
  return {find([&](Condition at) { return prefix_.may_end_all(at); }), As::any};
}

bool Deadlocks::fits(Condition condition, const Choice& choice) const {
  if (prefix_.is_ended(condition)) return choice.as != As::waiting;
  if (choice.as == As::ended) return false;
  // It was not created yet.
  const ConditionTrees& slots = prefix_.slots();
  if (slots.depth(condition) == 0 && prefix_.thread_of(choice.thread) != kMainThread) return true;
  if (!prefix_.has_next(condition)) return false;
  return prefix_.next(condition).joins != Prefix::kNone || prefix_.next(condition).may_wait;
}

// Whether all threads that were decided on, and the object of the first, are as they were decided to be.
bool Deadlocks::holds(const std::vector<Mark>& marks) const {
  const ConditionTrees& slots = prefix_.slots();
  const auto is_held = [&](Condition one) { return prefix_.at(marks, slots.slot(one)) == one; };
  return is_held(object_) && std::ranges::all_of(decided_, is_held);
}

bool Deadlocks::choose(const std::vector<Mark>& marks, const Choice& choice) {
  const ConditionTrees& slots = prefix_.slots();
  std::vector<Condition> rest = {prefix_.at(marks, choice.thread)};
  while (!rest.empty()) {
    if (steps_left_ == 0) return false;
    --steps_left_;
    const Condition condition = rest.back();
    rest.pop_back();
    if (!prefix_.joins(marks, prefix_.cone_of(condition))) continue;
    const std::vector<Mark> both = prefix_.united();
    if (!holds(both)) continue;  // nor do those below it
    if (prefix_.at(both, choice.thread) == condition && fits(condition, choice)) {
      decided_.push_back(condition);
      if (search(both)) return true;
      decided_.pop_back();
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
    const Prefix::Next& next = prefix_.next(one);
    const bool is_join = next.joins != Prefix::kNone;
    if (is_join && prefix_.is_ended(prefix_.at(marks, next.joins))) return false;
    if (!is_join && prefix_.goes_on(one, prefix_.at(marks, next.object))) return false;
    if (!is_join) last_.insert({next.event.thread, next.event.operation, next.event.object});
  }
  if (known_.contains(last_) || denied_.contains(last_)) return false;
  found_ = marks;
  return true;
}

}  // namespace thrum
