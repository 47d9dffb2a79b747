// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an execution of a search by unfolding goes on behind its target: with threads whose next event is new.
#include <algorithm>

#include "unfolding/unfolding_search.hpp"

namespace thrum {

void UnfoldingSearch::begin() {
  begin_marking(seen_);
  seen_counter_.clear();
  seen_events_ = seen_steps_ = 0;
  told_.clear();
}

Advice UnfoldingSearch::at_point(const View& view) {
  for (; seen_events_ < view.trace.events.size(); ++seen_events_) follow(view.trace.events[seen_events_]);
  if (!settings_.is_greedy) return {Advice::Kind::leave};
  if (view.point.key.kind != ChoiceKind::thread || seen_steps_ < planned_steps_) return {};
  const std::span<const PendingOperation> live = view.threads.pending();
  // The first one that does something new at once, else one that may do so later: before others spoil it.
  std::uint16_t best = view.default_option;
  News news = News::spoils;
  const auto look_at = [&](std::uint16_t option) {
    if (view.options[option].via != Via::run) return;
    const auto own = std::ranges::find(live, view.options[option].value, &PendingOperation::thread);
    if (own == live.end() || own->operation == Operation::process_exit) return;
    const News found = news_of(*own);
    if (found <= news) return;
    news = found;
    best = option;
  };
  look_at(view.default_option);
  for (std::uint16_t i = 0; i < view.options.size() && news != News::now; ++i) look_at(i);
  if (best == view.default_option) return {};
  return {Advice::Kind::take, best};
}

// The event of a thread in that state, with that condition of the object, behind the reads that were seen.
Prefix::Event UnfoldingSearch::find_event(Condition before, Slot object, Condition there,
                                          std::uint32_t choices) {
  const Prefix::Event event = prefix_->find(before, there, choices);
  if (event == kNone || !(*prefix_)[event].is_change) return event;
  const std::vector<Prefix::Event> reads = seen_.reads(object);
  if (reads.empty()) return event;
  if (std::ranges::find(reads, kNone) != reads.end()) return kNone;
  const std::uint32_t behind = prefix_->number_of_reads(reads, false);
  return behind == kNone ? kNone : prefix_->find(before, there, choices, behind);
}

// Whether no execution has shown the event that it would be, or an event of the thread behind it. Where it
// has, and others have not been shown in its place, the thread had better wait for what others do.
UnfoldingSearch::News UnfoldingSearch::news_of(const PendingOperation& pending) {
  const Condition before = seen_.at(slot_of_thread(pending.thread), *prefix_);
  if (before == kNone || !prefix_->has_next(before)) return News::now;
  const Slot object = prefix_->next(before).object;
  const Condition there = object == kNone ? kNone : seen_.at(object, *prefix_);
  if (object != kNone && there == kNone) return News::now;
  // Mostly only the thread that has run, and those that are about the same object, are not as they were.
  if (told_.size() <= pending.thread) told_.resize(pending.thread + std::size_t{1});
  Told& told = told_[pending.thread];
  if (told.before == before && told.there == there && settings_.mode == Mode::contextual) return told.news;
  told = {before, there, news_of_event(before, object, there)};
  return told.news;
}

UnfoldingSearch::News UnfoldingSearch::news_of_event(Condition before, Slot object, Condition there) {
  const Prefix::Event known = find_event(before, object, there);
  if (known == kNone || prefix_->is_left(known)) return News::now;
  if (prefix_->left_at(before) != 0) return News::spoils;
  return prefix_->left_below(before) != 0 ? News::later : News::none;
}

void UnfoldingSearch::follow(const Event& event) {
  seen_steps_ += is_visible(event.operation) ? 1 : 0;
  if (!is_event(event.operation) || known_.has(event.thread, seen_counter_.next(event.thread))) return;
  const bool is_creation = event.operation == Operation::thread_create;
  if (is_creation && takes_turn(event.thread, seen_)) follow_step(event, prefix_->creations());
  const Condition before = seen_.at(slot_of_thread(event.thread), *prefix_);
  const bool has_next = before != kNone && prefix_->has_next(before);
  follow_step(event, has_next ? prefix_->next(before).object : next_of(event).object);
}

void UnfoldingSearch::follow_step(const Event& event, Slot object) {
  const bool is_creation = event.operation == Operation::thread_create;
  const bool is_join = event.operation == Operation::thread_join;
  const Slot thread = slot_of_thread(event.thread);
  const Condition before = seen_.at(thread, *prefix_);
  const Condition there = object == kNone ? kNone : seen_.at(object, *prefix_);
  const bool is_known = before != kNone && (object == kNone || there != kNone);
  const std::uint32_t choices = event.operation == Operation::timeout ? Prefix::kTimeout : 0;
  const Prefix::Event number = is_known ? find_event(before, object, there, choices) : kNone;
  const bool is_done = number != kNone && (*prefix_)[number].is_done;
  seen_.set(thread, is_done ? (*prefix_)[number].after : kNone);
  // What is no event of the unfolding, a signal's handling say, has no location.
  const std::uint32_t location = is_done || is_creation ? Locations::kNone : locations_.find(event);
  const bool consumes = is_done
                            ? (*prefix_)[number].consumes
                            : is_creation || (!is_join && object != kNone && location != Locations::kNone &&
                                              locations_.writes(event, location));
  if (consumes) {
    seen_.set(object, is_done ? (*prefix_)[number].object_after : kNone);
  } else if (settings_.mode == Mode::replicated && object != kNone) {
    seen_.add_read(object, number);
  }
}

}  // namespace thrum
