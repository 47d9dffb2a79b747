// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unfolding/prefix.hpp"

#include <algorithm>
#include <set>

#include "support/check.hpp"
#include "support/hash.hpp"

namespace thrum {

std::size_t Prefix::hash_of(const Key& key) {
  return mixed(std::uint64_t{key.before} << 32 | key.object, std::uint64_t{key.choices} << 32 | key.behind);
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
  is_failed_.resize(slots_.conditions());
  may_stop_.resize(slots_.conditions());
  passed_round_.resize(slots_.conditions());
  has_ended_before_.resize(slots_.conditions());
  left_below_.resize(slots_.conditions());
  left_at_.resize(slots_.conditions());
  touched_.resize(slots_.conditions());
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

std::uint32_t Prefix::number_of_reads(std::vector<Event> reads, bool adds) {
  if (reads.empty()) return 0;
  std::ranges::sort(reads);
  std::uint64_t hash = 0;
  for (const Event read : reads) hash = mixed(hash, read);
  return adds ? read_sets_.number_of(reads, hash) : read_sets_.find(reads, hash).value_or(kNone);
}

Prefix::Event Prefix::find(Condition before, Condition object, std::uint32_t choices,
                           std::uint32_t behind) const {
  if (known_.empty()) return kNone;
  for (std::size_t i = hash_of({before, object, choices, behind});; ++i) {
    const Event known = known_[i & (known_.size() - 1)];
    if (known == kNone) return kNone;
    const Entry& entry = events_[known];
    if (entry.before == before && entry.object == object && entry.choices == choices &&
        entry.behind == behind)
      return known;
  }
}

Prefix::Event Prefix::need(Condition before, Condition object, std::uint32_t choices, std::uint32_t behind,
                           bool& is_foreseen) {
  const Event known = find(before, object, choices, behind);
  is_foreseen = known != kNone;
  if (is_foreseen) return known;
  std::vector<Mark> past(cone_of(before).begin(), cone_of(before).end());
  const auto take = [&](Cone other) {
    const bool is_possible = joins(past, other);
    THRUM_CHECK(is_possible);  // an execution has shown it
    past = union_;
  };
  if (object != kNone) take(cone_of(object));
  for (const Event read : read_sets_[behind]) take(cone(read));
  return add({before, object, choices, behind}, past);
}

void Prefix::add_alternative(Condition before, Condition object, std::uint32_t choices,
                             std::uint32_t behind) {
  bool is_known = true;
  const Event event = need(before, object, choices, behind, is_known);
  if (is_known) return;
  events_[event].step = next(before).step;
  targets_.push_back(event);
}

Prefix::Event Prefix::add(const Key& key, Cone cone) {
  const auto event = static_cast<Event>(events_.size());
  Entry& entry = events_.emplace_back();
  entry.before = key.before;
  entry.object = key.object;
  entry.choices = key.choices;
  entry.behind = key.behind;
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
  note_event(event);
  count_left(entry, true);
  return event;
}

void Prefix::count_left(const Entry& entry, bool more) {
  if (entry.object == kNone && has_next(entry.before) && next(entry.before).joins != kNone) return;
  more ? ++left_at_[entry.before] : --left_at_[entry.before];
  for (Condition each = entry.before; each != kNone; each = slots_.parent(each))
    more ? ++left_below_[each] : --left_below_[each];
}

void Prefix::cover(Event event) {
  if (is_left(event)) count_left(events_[event], false);
  events_[event].is_covered = true;
}

void Prefix::give_up(Event event) {
  if (is_left(event)) count_left(events_[event], false);
  events_[event].is_in_vain = true;
}

// The table has room for as many again.
void Prefix::note_event(Event event) {
  const auto put = [&](Event one) {
    const Entry& entry = events_[one];
    std::size_t i = hash_of({entry.before, entry.object, entry.choices, entry.behind});
    while (known_[i & (known_.size() - 1)] != kNone) ++i;
    known_[i & (known_.size() - 1)] = one;
  };
  if (events_.size() * 2 <= known_.size()) return put(event);
  known_.assign(std::max<std::size_t>(64, known_.size() * 2), kNone);
  for (Event each = 0; each < events_.size(); ++each) put(each);
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

void Prefix::insert(Event event, const thrum::Event& shown, bool consumes, std::uint32_t events_after,
                    bool is_last) {
  Entry& entry = events_[event];
  if (is_left(event)) count_left(entry, false);
  entry.is_done = true;
  entry.consumes = consumes;
  entry.step = steps_.number_of(shown);
  entry.events_after = events_after;
  ++done_;
  if (entry.choices != 0 || entry.behind != 0) {
    Entry& covering = events_[find(entry.before, entry.object)];
    entry.next_variant = covering.next_variant;
    covering.next_variant = event;
  }
  const Slot maker = slots_.slot(entry.before);
  entry.after = slots_.add(entry.before, event, maker);
  if (consumes) entry.object_after = slots_.add(entry.object, event, maker);
  grow();
  passed_round_[entry.after] = passed_round_[entry.before] || spin_at(entry.before) != nullptr;
  for (std::uint32_t i = entry.cone_begin; i < entry.cone_begin + entry.cone_size; ++i) {
    Mark& mark = marks_[i];
    if (mark.slot == slots_.slot(entry.after)) mark.condition = entry.after;
    if (consumes && mark.slot == slots_.slot(entry.object_after)) mark.condition = entry.object_after;
  }
  const Condition object_after = entry.object_after;
  if (mode_ == Mode::replicated && entry.object != kNone) consumes ? note_change(event) : note_read(event);
  if (!consumes) return;
  is_failed_[object_after] = is_last;
  if (!is_last) extend_object(object_after);
}

void Prefix::spin(Condition thread, const thrum::Event& next, std::vector<Mark> reads) {
  const bool is_new = spin_of_.emplace(thread, static_cast<std::uint32_t>(spins_.size())).second;
  if (!is_new) return;
  spins_.push_back({thread, steps_.number_of(next), std::move(reads)});
  note_stop(thread);
  std::vector<Condition> passed = {thread};
  while (!passed.empty()) {
    const Condition condition = passed.back();
    passed.pop_back();
    for (Condition child = slots_.first_child(condition); child != kNone;
         child = slots_.next_sibling(child)) {
      passed_round_[child] = true;
      passed.push_back(child);
    }
  }
}

bool Prefix::passes_round(Cone cone) const {
  return !spins_.empty() &&
         std::ranges::any_of(cone, [&](const Mark& mark) { return passed_round_[mark.condition]; });
}

const Prefix::Spin* Prefix::spin_at(Condition thread) const {
  const auto spin = spin_of_.find(thread);
  return spin == spin_of_.end() ? nullptr : &spins_[spin->second];
}

void Prefix::end(Condition thread) {
  if (is_ended_[thread]) return;
  is_ended_[thread] = true;
  extend_object(thread);
}

void Prefix::fail(Condition thread) {
  is_failed_[thread] = true;
  note_stop(thread);
}

void Prefix::note_stop(Condition thread) {
  for (Condition each = thread; each != kNone && !may_stop_[each]; each = slots_.parent(each))
    may_stop_[each] = true;
}

void Prefix::learn_operation(Condition thread, const thrum::Event& step) {
  nexts_[next_of_[thread]].step = steps_.number_of(step);
}

void Prefix::set_next(Condition thread, const thrum::Event& step, Next next) {
  next.step = steps_.number_of(step);
  next_of_[thread] = static_cast<std::uint32_t>(nexts_.size());
  nexts_.push_back(next);
  if (next.object != kNone) {
    const std::uint64_t bit = bit_of(next.object);
    for (Condition each = thread; each != kNone && (touched_[each] & bit) == 0; each = slots_.parent(each))
      touched_[each] |= bit;
  }
  if (step.operation == Operation::process_exit) note_stop(thread);
  extend_thread(thread);
}

const std::vector<Prefix::Slot>& Prefix::ended_before(Condition thread) const {
  static const std::vector<Slot> kNobody;
  return has_ended_before_[thread] ? ended_before_.at(thread) : kNobody;
}

Prefix::Slot Prefix::creator(Slot thread) const {
  const Condition first = slots_.first_child(slots_.initial(thread));
  if (threads_[thread] == kMainThread || first == kNone) return kNone;
  const Slot creator = slots_.slot(events_[slots_.event(first)].before);
  return creator != thread ? creator : kNone;  // as a timer's thread, which none creates
}

std::uint64_t Prefix::bytes() const {
  const auto of = [](const auto& list) { return list.capacity() * sizeof(list[0]); };
  return of(events_) + of(marks_) + of(next_of_) + of(nexts_) + of(touched_) + of(targets_) + of(blocked_) +
         of(known_) + steps_.bytes() + slots_.bytes();
}

bool Prefix::goes_on(Condition thread, Condition object) const {
  const Event event = find(thread, object);
  if (event == kNone) return false;
  const Entry& entry = events_[event];
  return entry.is_done || entry.is_covered || entry.next_variant != kNone;
}

// The events of the cone: of each thread those up to its condition.
void Prefix::events_of(Cone cone, std::vector<Event>& events) const {
  events.clear();
  for (const Mark& mark : cone) {
    if (threads_[mark.slot] == kNoThread) continue;
    for (Condition each = mark.condition; slots_.event(each) != kNone; each = slots_.parent(each)) {
      // The first condition of a thread comes from its creator's event.
      if (slots_.slot(events_[slots_.event(each)].before) == mark.slot) events.push_back(slots_.event(each));
    }
  }
}

std::vector<Prefix::Mark> Prefix::past(Event event) const {
  // Its own marks stand behind it if it is done.
  std::vector<Mark> past(cone(event).begin(), cone(event).end());
  const Entry& entry = events_[event];
  for (Mark& mark : past) {
    if (!entry.is_done) break;
    if (mark.slot == slots_.slot(entry.before)) mark.condition = entry.before;
    if (entry.consumes && mark.slot == slots_.slot(entry.object)) mark.condition = entry.object;
  }
  return past;
}

bool Prefix::add_ends(std::vector<Mark>& marks, std::span<const Mark> kept, Slot also) {
  const auto missing = [&]() -> Slot {
    if (also != kNone && !is_ended_[at(marks, also)]) return also;
    for (const Mark& mark : marks) {
      for (const Slot ended : ended_before(mark.condition)) {
        if (!is_ended_[at(marks, ended)]) return ended;
      }
    }
    return kNone;
  };
  const Slot thread = missing();
  if (thread == kNone) return true;
  std::vector<Condition> rest = {at(marks, thread)};
  while (!rest.empty()) {
    const Condition condition = rest.back();
    rest.pop_back();
    if (!joins(marks, cone_of(condition))) continue;
    std::vector<Mark> both = union_;
    const bool is_kept =
        std::ranges::all_of(kept, [&](const Mark& mark) { return at(both, mark.slot) == mark.condition; });
    if (!is_kept) continue;
    if (is_ended_[condition] && at(both, thread) == condition && add_ends(both, kept, also)) {
      marks = std::move(both);
      return true;
    }
    for (Condition child = slots_.first_child(condition); child != kNone; child = slots_.next_sibling(child))
      rest.push_back(child);
  }
  return false;
}

void Prefix::Order::add(std::uint32_t one, std::uint32_t other) {
  if (one == kNone || other == kNone) return;
  edges.push_back({other, first[one]});
  first[one] = static_cast<std::uint32_t>(edges.size() - 1);
  ++before[other];
}

template <typename Each>
void Prefix::Order::take(std::uint32_t place, Each each) {
  for (std::uint32_t edge = first[place]; edge != kNone; edge = edges[edge].next) {
    if (--before[edges[edge].to] == 0) each(edges[edge].to);
  }
}

// Behind the others of its thread.
void Prefix::add_target(Event target, std::vector<Event>& events) const {
  const auto is_its = [&](Event event) {
    return slots_.slot(events_[event].before) == slots_.slot(events_[target].before);
  };
  const auto last = std::find_if(events.rbegin(), events.rend(), is_its);
  events.insert(last == events.rend() ? events.end() : last.base(), target);
}

bool Prefix::order(Cone cone, std::vector<Event>& order, Event held, Event target) {
  order.clear();
  std::vector<Event>& events = events_of_cone_;
  events_of(cone, events);
  std::ranges::reverse(events);  // each thread from its first one on
  if (target != kNone) add_target(target, events);
  Order& after = order_of(events, Within::threads);
  if (creations_ != kNone) order_creations(cone, events, target);
  std::vector<std::uint32_t> next;  // of each thread; a thread's events stand together
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    if (i == 0 || slots_.slot(events_[events[i]].before) != slots_.slot(events_[events[i - 1]].before))
      next.push_back(i);
  }
  const std::vector<std::uint32_t> begins = next;
  const auto end_of = [&](std::size_t thread) {
    return thread + 1 < begins.size() ? begins[thread + 1] : static_cast<std::uint32_t>(events.size());
  };
  while (order.size() < events.size()) {
    const std::size_t before = order.size();
    for (std::size_t thread = 0; thread < next.size(); ++thread) {
      for (; next[thread] < end_of(thread) && after.before[next[thread]] == 0; ++next[thread]) {
        if (events[next[thread]] == held) break;
        order.push_back(events[next[thread]]);
        after.take(next[thread], [](std::uint32_t) {});
      }
    }
    if (order.size() == before && held == kNone) return false;
    if (order.size() == before) held = kNone;
  }
  if (target != kNone) std::erase(order, target);
  return true;
}

std::vector<Prefix::Event> Prefix::chosen_before(Condition thread, Cone cone) const {
  std::vector<Event> chosen;
  std::set<Event> seen;
  std::vector<Condition> rest = {thread};
  while (!rest.empty()) {
    const Event event = slots_.event(rest.back());
    rest.pop_back();
    if (event == kNone || !seen.insert(event).second) continue;
    if (is_visible(step(event).operation)) {
      chosen.push_back(event);
      continue;
    }
    const Condition before = events_[event].before;
    rest.push_back(before);
    if (step(event).operation == Operation::thread_join) rest.push_back(at(cone, next(before).joins));
  }
  return chosen;
}

// A thread takes its turn in the order of creations with what it did before, which so comes behind the turn
// before. Threads that take theirs next, at once, do so behind all that are there.
void Prefix::order_creations(Cone cone, const std::vector<Event>& events, Event target) {
  const auto put_behind = [&](Event last, Condition thread) {
    if (last == kNone) return;
    const Event with = chosen_at(thread);
    if (with == kNone || with == chosen_at(events_[last].before)) return;
    // It comes with the end of the thread that was joined, perhaps.
    const bool is_known = step(with).operation != Operation::thread_join ||
                          slots_.slot(events_[last].before) == slots_.slot(thread);
    knows_all_orders_ = knows_all_orders_ && is_known;
    order_.add(places_.find(last), places_.find(with));
  };
  for (const Event event : events) {
    if (is_turn(event)) put_behind(slots_.event(events_[event].object), events_[event].before);
  }
  const Event last = target != kNone ? target : slots_.event(at(cone, creations_));
  for (const Mark& mark : cone) {
    const bool is_held = threads_[mark.slot] != kNoThread && has_next(mark.condition) &&
                         next(mark.condition).object == creations_;
    if (is_held && (target == kNone || mark.condition != events_[target].before))
      put_behind(last, mark.condition);
  }
}

// The last event of those that led to the thread's condition that somebody has chosen, or a join. What came
// behind it came with it, at once. kNone: there is none.
Prefix::Event Prefix::chosen_at(Condition thread) const {
  Event event = slots_.event(thread);
  while (event != kNone && step(event).operation == Operation::thread_create)
    event = slots_.event(events_[event].before);
  return event;
}

Prefix::Slot Prefix::creations() {
  if (creations_ == kNone) creations_ = open_object();
  return creations_;
}

bool Prefix::is_acyclic(Cone cone) {
  std::vector<Event>& events = events_of_cone_;
  events_of(cone, events);
  Order& order = order_of(events, Within::nothing);
  std::vector<std::uint32_t> ready;
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    if (order.before[i] == 0) ready.push_back(i);
  }
  for (std::size_t i = 0; i < ready.size(); ++i)
    order.take(ready[i], [&](std::uint32_t place) { ready.push_back(place); });
  return ready.size() == events.size();
}

// By causes, reads before what consumes the same condition, and ends before joins.
Prefix::Order& Prefix::order_of(const std::vector<Event>& events, Within within) {
  places_.clear(events_.size());
  consumers_.clear(slots_.conditions());
  ends_.clear(slots_.size());
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    const Entry& entry = events_[events[i]];
    places_.set(events[i], i);
    if (entry.consumes) consumers_.set(entry.object, i);
    const Slot thread = slots_.slot(entry.before);
    const std::uint32_t end = ends_.find(thread);
    if (end == kNone || slots_.depth(events_[events[end]].before) < slots_.depth(entry.before))
      ends_.set(thread, i);
  }
  order_.before.assign(events.size(), 0);
  order_.first.assign(events.size(), kNone);
  order_.edges.clear();
  const auto add = [&](std::uint32_t first, std::uint32_t second) { order_.add(first, second); };
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    const Entry& entry = events_[events[i]];
    for (const Condition condition : {entry.before, entry.object}) {
      if (condition == kNone || slots_.event(condition) == kNone) continue;
      const std::uint32_t cause = places_.find(slots_.event(condition));
      const bool is_in_order = within == Within::threads && cause + 1 == i &&
                               slots_.slot(events_[events[cause]].before) == slots_.slot(entry.before);
      if (!is_in_order) add(cause, i);
    }
    const Slot joined = next(entry.before).joins;
    if (joined != kNone && entry.object == kNone) add(ends_.find(joined), i);
    if (entry.object != kNone && !entry.consumes) add(i, consumers_.find(entry.object));
  }
  return order_;
}

}  // namespace thrum
