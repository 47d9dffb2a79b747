// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The possible extensions of a prefix: pairs of a thread's condition and an object's that some configuration
// holds at once. The smallest candidate is the union of their pasts, and a larger one inherits its conflicts
// and cycles. So a pair is tested by joining two cones.
//
// A condition that cannot be held together with another one has no descendant that can. So the trees of
// conditions are walked from the top, and cut there.
#include <algorithm>
#include <vector>

#include "unfolding/prefix.hpp"

namespace thrum {

// Whether some configuration holds both cones. Then union_ is the smallest.
bool Prefix::joins(Cone a, Cone b) {
  ++pairs_;
  union_.clear();
  bool is_a_more = false;
  bool is_b_more = false;
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < a.size() || k < b.size()) {
    if (k == b.size() || (i < a.size() && a[i].slot < b[k].slot)) {
      is_a_more = is_a_more || slots_.depth(a[i].condition) != 0;
      union_.push_back(a[i++]);
    } else if (i == a.size() || b[k].slot < a[i].slot) {
      is_b_more = is_b_more || slots_.depth(b[k].condition) != 0;
      union_.push_back(b[k++]);
    } else {
      const Condition one = a[i++].condition;
      const Condition other = b[k].condition;
      const Slot slot = b[k++].slot;
      if (one == other) {
        union_.push_back({slot, one});
      } else if (slots_.depth(one) > slots_.depth(other)) {
        if (!slots_.leads_to(other, one)) return false;
        union_.push_back({slot, one});
        is_a_more = true;
      } else {
        if (!slots_.leads_to(one, other)) return false;
        union_.push_back({slot, other});
        is_b_more = true;
      }
    }
  }
  if (!is_a_more || !is_b_more) return true;
  // A cycle crosses both ways, since each cone by itself has none.
  const bool a_reads = reads_what_is_consumed(a, b);
  if (mode_ == Mode::replicated) {
    // What consumes a condition comes behind the reads that it knows, and no others.
    return !a_reads && !reads_what_is_consumed(b, a);
  }
  return !a_reads || !reads_what_is_consumed(b, a) || is_acyclic(union_);
}

// Whether an event that only the first one has reads a condition that the second one consumes. The consumer
// may be in both.
bool Prefix::reads_what_is_consumed(Cone a, Cone b) const {
  for (const Mark& mark : a) {
    if (threads_[mark.slot] == kNoThread) continue;
    const std::uint32_t end = slots_.depth(at(b, mark.slot));
    for (Condition each = mark.condition; slots_.depth(each) > end; each = slots_.parent(each)) {
      const Entry& entry = events_[slots_.event(each)];
      if (entry.object == kNone || entry.consumes) continue;
      if (slots_.depth(entry.object) < slots_.depth(at(b, slots_.slot(entry.object)))) return true;
    }
  }
  return false;
}

// With conditions of its object that the thread may meet there: those at or below the one that its past
// leaves there. What the thread itself has made is there or in conflict.
void Prefix::extend_thread(Condition thread) {
  const Slot object = next(thread).object;
  const Cone past = cone_of(thread);
  if (object == kNone) {
    union_.assign(past.begin(), past.end());
    return emit(thread, kNone);
  }
  own_.assign(past.begin(), past.end());
  rest_.assign(1, at(own_, object));
  while (!rest_.empty()) {
    const Condition condition = rest_.back();
    rest_.pop_back();
    if (is_failed_[condition]) continue;
    const Condition there = at(cone_of(condition), slots_.slot(thread));
    if (!slots_.leads_to(there, thread)) continue;  // its past has the thread's future
    if (!joins(own_, cone_of(condition))) continue;
    emit(thread, condition);
    const Slot own = slots_.slot(thread);
    for (Condition child = slots_.first_child_by_others(condition, own); child != kNone;
         child = slots_.next_sibling_by_others(child, own))
      rest_.push_back(child);
  }
}

// With conditions of threads whose next operation is on the object's slot.
void Prefix::extend_object(Condition object) {
  const Slot slot = slots_.slot(object);
  const Cone past = cone_of(object);
  own_.assign(past.begin(), past.end());
  const Event last = slots_.event(object);
  const Slot maker = last == kNone ? slot : slots_.slot(events_[last].before);
  for (const Slot thread : thread_slots_) {
    if (thread == maker) continue;
    rest_.assign(1, at(own_, thread));
    while (!rest_.empty()) {
      const Condition condition = rest_.back();
      rest_.pop_back();
      if ((touched_[condition] & bit_of(slot)) == 0) continue;
      const Condition there = at(cone_of(condition), slot);
      if (!slots_.leads_to(there, object)) continue;
      if (!joins(own_, cone_of(condition))) continue;
      if (has_next(condition) && next(condition).object == slot) emit(condition, object);
      add_behind(condition, object, own_, rest_);
    }
  }
}

// Adds the conditions that follow the thread's and may be held together with the object's, whose past that
// is. There may be hundreds that follow, of which few fit: so they are looked up by what they were read from.
void Prefix::add_behind(Condition thread, Condition object, Cone past, std::vector<Condition>& rest) {
  if (!has_next(thread) || next(thread).object == kNone) {
    for (Condition child = slots_.first_child(thread); child != kNone; child = slots_.next_sibling(child))
      rest.push_back(child);
    return;
  }
  const auto look_up = [&](Condition from, bool only_reads) {
    for (Event event = find(thread, from); event != kNone; event = events_[event].next_variant) {
      if (events_[event].is_done && !(only_reads && events_[event].consumes))
        rest.push_back(events_[event].after);
    }
  };
  const Slot slot = slots_.slot(object);
  const Slot other = next(thread).object;
  const Condition least = at(cone_of(thread), other);
  if (other == slot) {  // an event that consumes would consume the object's condition, or be in conflict
    for (Condition from = object; slots_.depth(from) >= slots_.depth(least); from = slots_.parent(from)) {
      look_up(from, true);
      if (slots_.depth(from) == 0) break;
    }
    return;
  }
  Condition top = at(past, other);
  for (Condition from = top; slots_.depth(from) > slots_.depth(least);) {
    from = slots_.parent(from);
    look_up(from, false);
  }
  if (slots_.depth(least) > slots_.depth(top)) top = least;
  below_.assign(1, top);
  while (!below_.empty()) {
    const Condition from = below_.back();
    below_.pop_back();
    const Cone cone = cone_of(from);
    if (!slots_.leads_to(at(cone, slot), object) || !slots_.leads_to(at(cone, slots_.slot(thread)), thread))
      continue;
    look_up(from, false);
    for (Condition child = slots_.first_child(from); child != kNone; child = slots_.next_sibling(child))
      below_.push_back(child);
  }
}

// union_: of their pasts.
void Prefix::emit(Condition thread, Condition object) {
  if (!stand(thread, object)) return;
  const Next& next = this->next(thread);
  const bool is_done = object == kNone || can_be_done(next, object);
  if (!is_done && !next.timed) {
    if (next.joins == kNone) blocked_.push_back({thread, object});
    return;
  }
  if (find(thread, object) != kNone) return;
  const Event event = add_targets(thread, object, 0, std::vector<Mark>(union_));
  if (!is_done) give_up(event);
}

// The event that the thread's next operation would be, and that its time runs out instead.
Prefix::Event Prefix::add_targets(Condition thread, Condition object, std::uint32_t behind, Cone past) {
  const Next& next = this->next(thread);
  std::vector<Event>& targets = next.joins != kNone && object == kNone ? late_ : targets_;
  const auto add_one = [&](std::uint32_t choices) {
    const Event event = add({thread, object, choices, behind}, past);
    events_[event].step = next.step;
    targets.push_back(event);
    return event;
  };
  if (next.timed) add_one(kTimeout);
  return add_one(0);
}

bool Prefix::stand(Condition thread, Condition object) const {
  return at(union_, slots_.slot(thread)) == thread &&
         (object == kNone || at(union_, slots_.slot(object)) == object);
}

// Whether the operation can be done there, as far as that is known before it is run: joins, and mutexes that
// another thread holds.
bool Prefix::can_be_done(const Next& next, Condition object) const {
  if (next.joins != kNone) return is_ended_[object];
  const thrum::Event& step = steps_[next.step];
  const Operation operation = step.operation;
  if (operation == Operation::lock || operation == Operation::shared_lock)
    return !is_held(step.object, object, step.thread);
  return operation != Operation::wait_reacquire || !is_held(step.operand, object, step.thread);
}

// Whether another thread holds the mutex, by the last operation that says so. False: no, or it is not known.
bool Prefix::is_held(std::uint64_t mutex, Condition object, ThreadId thread) const {
  for (; slots_.event(object) != kNone; object = slots_.parent(object)) {
    const thrum::Event& event = step(slots_.event(object));
    if (event.operation == Operation::atomic_section) return false;  // it may have given it back
    const bool waits =
        event.operation == Operation::wait_release || event.operation == Operation::wait_reacquire;
    if ((waits ? event.operand : event.object) != mutex) continue;
    switch (event.operation) {
      case Operation::lock:
      case Operation::wait_reacquire: return event.thread != thread;
      case Operation::try_lock:
        if (event.outcome != Outcome::failed) return event.thread != thread;
        break;
      case Operation::unlock:
      case Operation::wait_release:
      case Operation::shared_lock:
      case Operation::try_shared_lock:
      case Operation::shared_unlock: return false;
      default: break;
    }
  }
  return false;
}

}  // namespace thrum
