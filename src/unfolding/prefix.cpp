// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unfolding/prefix.hpp"

#include <algorithm>

#include "support/check.hpp"
#include "support/hash.hpp"

namespace thrum {

std::size_t Prefix::HashOfKey::operator()(const Key& key) const {
  return mixed(std::uint64_t{key.before} << 32 | key.object, key.choices);
}

Prefix::Slot Prefix::open_thread(ThreadId thread) {
  const Slot slot = slots_.open();
  threads_.push_back(thread);
  thread_slots_.push_back(slot);
  grow();
  return slot;
}

Prefix::Slot Prefix::open_object() {
  const Slot slot = slots_.open();
  threads_.push_back(kNoThread);
  grow();
  return slot;
}

void Prefix::grow() {
  next_of_.resize(slots_.conditions(), kNone);
  is_ended_.resize(slots_.conditions());
  touched_.resize(slots_.conditions());
  has_choices_.resize(slots_.conditions());
}

std::uint32_t Prefix::number_of(std::span<const Departure> choices) {
  if (choices.empty()) return 0;
  const auto is_same = [&](const std::vector<Departure>& other) {
    return std::ranges::equal(other, choices);
  };
  const auto known = std::ranges::find_if(choices_, is_same);
  if (known != choices_.end()) return static_cast<std::uint32_t>(known - choices_.begin());
  choices_.emplace_back(choices.begin(), choices.end());
  return static_cast<std::uint32_t>(choices_.size() - 1);
}

Prefix::Event Prefix::find(Condition before, Condition object, std::uint32_t choices) const {
  const auto known = known_.find({before, object, choices});
  return known == known_.end() ? kNone : known->second;
}

Prefix::Event Prefix::need(Condition before, Condition object, std::uint32_t choices, bool& is_foreseen) {
  const Event known = find(before, object, choices);
  is_foreseen = known != kNone;
  if (is_foreseen) return known;
  const bool is_possible = object == kNone || joins(cone_of(before), cone_of(object));
  THRUM_CHECK(is_possible);  // an execution has shown it
  if (object == kNone) {
    const Cone own = cone_of(before);
    union_.assign(own.begin(), own.end());
  }
  return add({before, object, choices}, union_);
}

void Prefix::add_alternative(Condition before, Condition object, std::uint32_t choices) {
  bool is_known = true;
  const Event event = need(before, object, choices, is_known);
  if (is_known) return;
  events_[event].event = next(before).event;
  targets_.push_back(event);
}

Prefix::Event Prefix::add(const Key& key, Cone cone) {
  const auto event = static_cast<Event>(events_.size());
  Entry& entry = events_.emplace_back();
  entry.before = key.before;
  entry.object = key.object;
  entry.choices = key.choices;
  entry.cone_begin = static_cast<std::uint32_t>(marks_.size());
  marks_.insert(marks_.end(), cone.begin(), cone.end());
  // Room for what it puts there.
  const auto reserve = [&](Condition condition) {
    if (condition == kNone) return;
    const Slot slot = slots_.slot(condition);
    const auto begin = marks_.begin() + entry.cone_begin;
    const auto place = std::ranges::lower_bound(begin, marks_.end(), slot, {}, &Mark::slot);
    if (place == marks_.end() || place->slot != slot) marks_.insert(place, {slot, condition});
  };
  reserve(key.before);
  reserve(key.object);
  entry.cone_size = static_cast<std::uint32_t>(marks_.size()) - entry.cone_begin;
  known_.emplace(key, event);
  return event;
}

Prefix::Cone Prefix::cone_of(Condition condition) const {
  const Event event = slots_.event(condition);
  return event == kNone ? Cone{} : cone(event);
}

// What the slot holds there.
Prefix::Condition Prefix::at(Cone cone, Slot slot) const {
  constexpr std::size_t kFew = 16;
  if (cone.size() > kFew) {
    const auto place = std::ranges::lower_bound(cone, slot, {}, &Mark::slot);
    return place != cone.end() && place->slot == slot ? place->condition : slots_.initial(slot);
  }
  for (const Mark& mark : cone) {
    if (mark.slot == slot) return mark.condition;
  }
  return slots_.initial(slot);
}

void Prefix::insert(Event event, const thrum::Event& shown, bool consumes, std::uint32_t events_after) {
  Entry& entry = events_[event];
  entry.is_done = true;
  entry.consumes = consumes;
  entry.event = shown;
  entry.events_after = events_after;
  ++done_;
  if (entry.choices != 0) has_choices_[entry.before] = true;
  entry.after = slots_.add(entry.before, event);
  if (consumes) entry.object_after = slots_.add(entry.object, event);
  grow();
  for (std::uint32_t i = entry.cone_begin; i < entry.cone_begin + entry.cone_size; ++i) {
    Mark& mark = marks_[i];
    if (mark.slot == slots_.slot(entry.after)) mark.condition = entry.after;
    if (consumes && mark.slot == slots_.slot(entry.object_after)) mark.condition = entry.object_after;
  }
  if (consumes) extend_object(entry.object_after);
}

void Prefix::end(Condition thread) {
  if (is_ended_[thread]) return;
  is_ended_[thread] = true;
  extend_object(thread);
}

Prefix::Condition Prefix::create(Condition creator, Slot thread) {
  const Condition initial = slots_.initial(thread);
  const Key key{creator, initial, kCreation};
  if (const auto known = known_.find(key); known != known_.end()) return events_[known->second].object_after;
  const Cone past = cone_of(creator);
  const std::vector<Mark> marks(past.begin(), past.end());
  const Event event = add(key, marks);
  Entry& entry = events_[event];
  entry.is_done = entry.consumes = entry.is_creation = true;
  entry.object_after = slots_.add(initial, event);
  grow();
  for (std::uint32_t i = entry.cone_begin; i < entry.cone_begin + entry.cone_size; ++i) {
    if (marks_[i].slot == thread) marks_[i].condition = entry.object_after;
  }
  return entry.object_after;
}

void Prefix::set_next(Condition thread, const Next& next) {
  next_of_[thread] = static_cast<std::uint32_t>(nexts_.size());
  nexts_.push_back(next);
  if (next.object != kNone) {
    const std::uint64_t bit = bit_of(next.object);
    for (Condition each = thread; each != kNone && (touched_[each] & bit) == 0; each = slots_.parent(each))
      touched_[each] |= bit;
  }
  extend_thread(thread);
}

// The events of the cone: of each thread those up to its condition, and creations.
void Prefix::events_of(Cone cone, std::vector<Event>& events) const {
  events.clear();
  for (const Mark& mark : cone) {
    if (threads_[mark.slot] == kNoThread) continue;
    for (Condition each = mark.condition; slots_.event(each) != kNone; each = slots_.parent(each))
      events.push_back(slots_.event(each));
  }
}

// An order by threads, each as long as it can.
void Prefix::order_past(Event event, std::vector<Event>& order) const {
  order.clear();
  std::vector<Event> events;
  std::vector<Mark> past;
  for (const Mark& mark : cone(event)) past.push_back(mark);
  events_of(past, events);
  std::ranges::reverse(events);
  std::unordered_map<Condition, std::uint32_t> reads;  // that are left
  for (const Event each : events) {
    const Entry& entry = events_[each];
    if (entry.object != kNone && !entry.consumes) ++reads[entry.object];
  }
  std::unordered_map<Slot, Condition> now;
  const auto holds = [&](Condition condition) {
    const auto place = now.find(slots_.slot(condition));
    return (place == now.end() ? slots_.initial(slots_.slot(condition)) : place->second) == condition;
  };
  const auto can_be = [&](const Entry& entry) {
    if (entry.is_creation) return holds(entry.before);
    if (!holds(entry.before)) return false;
    if (entry.object == kNone) return true;
    if (!holds(entry.object)) return false;
    const auto left = reads.find(entry.object);
    return !entry.consumes || left == reads.end() || left->second == 0;
  };
  // A creation leaves its creator where it is: its condition may be gone before it is asked.
  std::vector<bool> is_put(events.size());
  for (std::size_t put = 0; put < events.size();) {
    const std::size_t before = put;
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (is_put[i]) continue;
      const Entry& entry = events_[events[i]];
      const bool is_born =
          entry.is_creation && (slots_.event(entry.before) == kNone ||
                                std::ranges::find(order, slots_.event(entry.before)) != order.end());
      if (!is_born && (entry.is_creation || !can_be(entry))) continue;
      is_put[i] = true;
      ++put;
      order.push_back(events[i]);
      if (entry.is_creation || entry.consumes) now[slots_.slot(entry.object_after)] = entry.object_after;
      if (entry.is_creation) continue;
      now[slots_.slot(entry.after)] = entry.after;
      if (entry.object != kNone && !entry.consumes) --reads[entry.object];
    }
    THRUM_CHECK(put != before);  // a cone is acyclic
  }
}

}  // namespace thrum
