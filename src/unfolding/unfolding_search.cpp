// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unfolding/unfolding_search.hpp"

#include <algorithm>

#include "search/ordered_plan.hpp"

namespace thrum {

namespace {

bool never_waits(Operation operation) {
  return operation == Operation::load || operation == Operation::store ||
         operation == Operation::read_modify_write || operation == Operation::compare_exchange;
}

}  // namespace

Prefix::Condition UnfoldingSearch::Marking::at(Prefix::Slot slot, const Prefix& prefix) const {
  if (slot >= conditions_.size() || conditions_[slot] == kInitial) return prefix.slots().initial(slot);
  return conditions_[slot];
}

void UnfoldingSearch::Marking::set(Prefix::Slot slot, Condition condition) {
  if (conditions_.size() <= slot) conditions_.resize(slot + std::size_t{1}, kInitial);
  conditions_[slot] = condition;
}

Prefix::Slot UnfoldingSearch::slot_of_thread(ThreadId thread) {
  if (thread_slots_.size() <= thread) thread_slots_.resize(thread + std::size_t{1}, kNone);
  if (thread_slots_[thread] == kNone) thread_slots_[thread] = prefix_.open_thread(thread);
  return thread_slots_[thread];
}

Prefix::Slot UnfoldingSearch::slot_of(const Event& event) {
  const std::uint32_t location = locations_.find(event);
  if (location == Locations::kNone) return kNone;
  if (location_slots_.size() <= location) location_slots_.resize(location + std::size_t{1}, kNone);
  if (location_slots_[location] == kNone) location_slots_[location] = prefix_.open_object();
  return location_slots_[location];
}

bool UnfoldingSearch::next(Plan& plan) {
  if (done_) return false;
  target_ = kNone;
  while (begun_ && target_ == kNone) {
    if (targets_.empty()) {
      done_ = true;
      return false;
    }
    target_ = targets_.back();
    targets_.pop_back();
    if (!prefix_.is_left(target_)) target_ = kNone;
  }
  begun_ = true;
  write(plan);
  return true;
}

void UnfoldingSearch::write(Plan& plan) {
  plan.policy = Policy{};
  plan.policy.rounds = Rounds::block;
  OrderedPlan steps(plan, run_.first_key());
  planned_steps_ = 0;
  if (target_ == kNone) return;
  std::vector<Prefix::Event> order;
  prefix_.order_past(target_, order);
  order.push_back(target_);
  for (const Prefix::Event each : order) {
    const Prefix::Entry& entry = prefix_[each];
    // Nobody chooses when a thread is created or joined.
    if (entry.is_creation || entry.event.operation == Operation::thread_join) continue;
    steps.add(entry.event, prefix_.choices(entry.choices), entry.events_after);
    ++planned_steps_;
  }
}

void UnfoldingSearch::learn(const Plan&, const Trace& trace) {
  ++counts_.executions;
  for (const PendingOperation& pending : trace.pending) {
    if (is_visible(pending.operation)) locations_.learn(event_of(pending));
  }
  run_.read(trace, locations_);
  if (not_covered_.empty()) not_covered_ = run_.not_covered();
  if (locations_.changes() != changes_) return begin_again();
  marking_.clear();
  ReadsFrom::Index step = 0;
  for (const Event& event : trace.events) {
    if (is_visible(event.operation)) {
      learn_event(event, &run_[step++]);
    } else {
      learn_hidden(event);
    }
  }
  for (const PendingOperation& pending : trace.pending) {
    Event event = event_of(pending);
    const bool is_join = event.operation == Operation::thread_join;
    if (!is_join && !is_visible(event.operation)) continue;
    if (is_join) event.argument = event.operand;
    const Prefix::Slot object =
        is_join ? slot_of_thread(static_cast<ThreadId>(event.operand)) : slot_of(event);
    const Condition condition = marking_.at(slot_of_thread(event.thread), prefix_);
    if (!prefix_.has_next(condition)) prefix_.set_next(condition, {event, object, is_join});
  }
  // A thread that stands before nothing has ended, unless it has failed.
  for (ThreadId thread = 0; thread < thread_slots_.size(); ++thread) {
    if (thread_slots_[thread] == kNone || (trace.end == End::bug && thread == trace.failure.thread)) continue;
    const Condition last = marking_.at(thread_slots_[thread], prefix_);
    const bool is_there = thread == kMainThread || prefix_.slots().depth(last) != 0;
    if (is_there && !prefix_.has_next(last)) prefix_.end(last);
  }
  if (target_ != kNone && prefix_.is_left(target_)) {
    const bool is_strange = trace.end == End::finished && never_waits(prefix_[target_].event.operation);
    ++(is_strange ? counts_.lost : counts_.vain);
  }
  std::vector<Prefix::Event>& found = prefix_.targets();
  targets_.insert(targets_.end(), found.begin(), found.end());
  found.clear();
}

void UnfoldingSearch::learn_event(const Event& event, const ReadsFrom::Step* step) {
  learn_step(event, slot_of(event), step->writes, false, step->choices, step->events_after);
}

void UnfoldingSearch::learn_hidden(const Event& event) {
  const auto other = static_cast<ThreadId>(event.argument);
  if (event.operation == Operation::thread_create) {
    const Condition creator = marking_.at(slot_of_thread(event.thread), prefix_);
    const Prefix::Slot slot = slot_of_thread(other);
    marking_.set(slot, prefix_.create(creator, slot));
  } else if (event.operation == Operation::thread_join) {
    prefix_.end(marking_.at(slot_of_thread(other), prefix_));
    learn_step(event, slot_of_thread(other), false, true, {}, event.index + 1);
  } else if (event.operation == Operation::others_ended) {
    not_covered_ = "the end of main while threads go on";
  }
}

void UnfoldingSearch::learn_step(const Event& event, Prefix::Slot object, bool consumes, bool is_join,
                                 std::span<const ReadsFrom::Choice> choices, std::uint32_t events_after) {
  const Prefix::Slot thread = slot_of_thread(event.thread);
  const Condition before = marking_.at(thread, prefix_);
  const Condition there = object == kNone ? kNone : marking_.at(object, prefix_);
  if (!prefix_.has_next(before)) prefix_.set_next(before, {event, object, is_join});
  // With fewer of its choices it is what was foreseen.
  std::vector<Departure> taken;
  bool is_foreseen = true;
  for (const ReadsFrom::Choice& choice : choices) {
    const Prefix::Event shorter = prefix_.need(before, there, prefix_.number_of(taken), is_foreseen);
    if (!is_foreseen && taken.empty()) ++counts_.unforeseen;
    prefix_.cover(shorter);
    taken.push_back(choice.taken);
    for (const Option& option : choice.options) {
      if (option == choice.taken.option) continue;
      taken.back().option = option;
      prefix_.add_alternative(before, there, prefix_.number_of(taken));
    }
    taken.back() = choice.taken;
  }
  const Prefix::Event number = prefix_.need(before, there, prefix_.number_of(taken), is_foreseen);
  if (!is_foreseen && taken.empty()) ++counts_.unforeseen;
  if (!prefix_[number].is_done) prefix_.insert(number, event, consumes && object != kNone, events_after);
  marking_.set(thread, prefix_[number].after);
  if (prefix_[number].consumes) marking_.set(object, prefix_[number].object_after);
}

void UnfoldingSearch::begin_again() {
  ++counts_.restarts;
  changes_ = locations_.changes();
  prefix_ = Prefix();
  thread_slots_.clear();
  location_slots_.clear();
  targets_.clear();
  begun_ = false;
}

// ---- While an execution runs

void UnfoldingSearch::begin() {
  seen_.clear();
  seen_events_ = seen_steps_ = 0;
}

Advice UnfoldingSearch::at_point(const View& view) {
  for (; seen_events_ < view.trace.events.size(); ++seen_events_) follow(view.trace.events[seen_events_]);
  if (view.point.key.kind != ChoiceKind::thread || seen_steps_ < planned_steps_) return {};
  const std::span<const PendingOperation> live = view.threads.pending();
  const auto takes = [&](std::uint16_t option) {
    if (view.options[option].via != Via::run) return false;
    const auto own = std::ranges::find(live, view.options[option].value, &PendingOperation::thread);
    return own != live.end() && own->operation != Operation::process_exit && is_new(*own);
  };
  if (takes(view.default_option)) return {};
  for (std::uint16_t i = 0; i < view.options.size(); ++i) {
    if (i != view.default_option && takes(i)) return {Advice::Kind::take, i};
  }
  return {};
}

// Whether no execution has shown the event that it would be.
bool UnfoldingSearch::is_new(const PendingOperation& pending) {
  const Event event = event_of(pending);
  const Condition before = seen_.at(slot_of_thread(event.thread), prefix_);
  if (before == kNone || !prefix_.has_next(before)) return true;
  const Prefix::Slot object = prefix_.next(before).object;
  const Condition there = object == kNone ? kNone : seen_.at(object, prefix_);
  if (object != kNone && there == kNone) return true;
  const Prefix::Event known = prefix_.find(before, there, 0);
  return known == kNone || prefix_.is_left(known);
}

void UnfoldingSearch::follow(const Event& event) {
  seen_steps_ += is_visible(event.operation) ? 1 : 0;
  const Prefix::Slot thread = slot_of_thread(event.thread);
  const auto other = static_cast<ThreadId>(event.argument);
  const bool is_join = event.operation == Operation::thread_join;
  const Condition before = seen_.at(thread, prefix_);
  if (event.operation == Operation::thread_create) {
    const Prefix::Slot slot = slot_of_thread(other);
    const Prefix::Event born =
        before == kNone ? kNone : prefix_.find(before, prefix_.slots().initial(slot), Prefix::kCreation);
    return seen_.set(slot, born == kNone ? kNone : prefix_[born].object_after);
  }
  if (!is_join && !is_visible(event.operation)) return;
  const Prefix::Slot object = is_join ? slot_of_thread(other) : slot_of(event);
  const Condition there = object == kNone ? kNone : seen_.at(object, prefix_);
  const bool is_known = before != kNone && (object == kNone || there != kNone);
  const Prefix::Event number = is_known ? prefix_.find(before, there, 0) : kNone;
  const bool is_done = number != kNone && prefix_[number].is_done;
  seen_.set(thread, is_done ? prefix_[number].after : kNone);
  const bool consumes = is_done
                            ? prefix_[number].consumes
                            : !is_join && object != kNone && locations_.writes(event, locations_.find(event));
  if (consumes) seen_.set(object, is_done ? prefix_[number].object_after : kNone);
}

Guarantee UnfoldingSearch::guarantee() const {
  Guarantee guarantee;
  guarantee.exhausted = done_ && problem().empty();
  guarantee.covers = Covers::assertions;
  return guarantee;
}

std::string UnfoldingSearch::problem() const {
  if (counts_.unforeseen != 0) return "internal: an event was no possible extension";
  if (counts_.lost != 0) return "internal: an execution did not reach the event that it was planned for";
  if (!not_covered_.empty()) return "the unfolding does not cover " + not_covered_ + "; take --strategy dpor";
  return "";
}

Progress UnfoldingSearch::progress() {
  Progress progress;
  progress.waiting = targets_.size();
  if (done_) progress.done = 1;
  return progress;
}

}  // namespace thrum
