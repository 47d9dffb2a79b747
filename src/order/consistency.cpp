// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order/consistency.hpp"

#include <algorithm>

namespace thrum {

Consistency::Answer Consistency::check(std::span<const Node> events, std::uint64_t cuts_max) {
  begin(events);
  if (two_update_one() || !add_given() || !saturate()) return Answer::impossible;
  return search(cuts_max);
}

void Consistency::begin(std::span<const Node> events) {
  events_ = events;
  width_ = 0;
  std::uint32_t locations = 0;
  for (const Node& event : events) {
    width_ = std::max(width_, event.thread + 1);
    if (event.reads || event.writes) locations = std::max(locations, event.location + 1);
  }
  threads_.assign(width_, {});
  locations_.assign(locations, {});
  places_.resize(events.size());
  reads_left_.assign(events.size(), 0);
  next_.assign(events.size(), {});
  clocks_.assign(std::size_t{width_} * events.size(), 0);
  for (Index i = 0; i < events.size(); ++i) {
    const Node& event = events[i];
    threads_[event.thread].push_back(i);
    places_[i] = static_cast<std::uint32_t>(threads_[event.thread].size());
    clock(i)[event.thread] = places_[i];
    if (event.reads) {
      locations_[event.location].readers.push_back(i);
      ++(event.source == kNone ? locations_[event.location].initial : reads_left_[event.source]);
    }
    if (event.writes) {
      locations_[event.location].writers.push_back(i);
      ++locations_[event.location].writes_left;
    }
  }
}

// Whether two events that write as well read from one source: no order gives that. Saturation would find it
// late.
bool Consistency::two_update_one() const {
  std::vector<bool> updated(events_.size() + locations_.size());
  for (const Node& event : events_) {
    if (!event.reads || !event.writes) continue;
    const std::size_t source = event.source != kNone ? event.source : events_.size() + event.location;
    if (updated[source]) return true;
    updated[source] = true;
  }
  return false;
}

bool Consistency::knows(Index late, Index early) const {
  return clock(late)[events_[early].thread] >= places_[early];
}

// False: they are ordered the other way round.
bool Consistency::put_before(Index early, Index late) {
  if (early == late || knows(early, late)) return false;
  if (knows(late, early)) return true;
  next_[early].push_back(late);
  std::vector<Index> todo{early};
  while (!todo.empty()) {
    const Index from = todo.back();
    todo.pop_back();
    for (const Index to : next_[from]) {
      bool learned = false;
      for (std::uint32_t thread = 0; thread < width_; ++thread) {
        if (clock(to)[thread] >= clock(from)[thread]) continue;
        clock(to)[thread] = clock(from)[thread];
        learned = true;
      }
      if (learned) todo.push_back(to);
    }
  }
  return true;
}

bool Consistency::add_given() {
  for (const std::vector<Index>& own : threads_) {
    for (std::size_t i = 1; i < own.size(); ++i) {
      // Not by put_before(): the clock of the later one knows itself, and so seems to know the earlier one.
      next_[own[i - 1]].push_back(own[i]);
    }
  }
  for (Index i = 0; i < events_.size(); ++i) {
    const Node& event = events_[i];
    if (event.reads && event.source != kNone && !put_before(event.source, i)) return false;
    for (const Index cause : event.causes) {
      if (!put_before(cause, i)) return false;
    }
  }
  return true;
}

bool Consistency::saturate() {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Location& location : locations_) {
      for (const Index read : location.readers) {
        if (!saturate(read, location, changed)) return false;
      }
    }
  }
  return true;
}

bool Consistency::saturate(Index read, const Location& location, bool& changed) {
  const Index source = events_[read].source;
  for (const Index other : location.writers) {
    if (other == read || other == source) continue;
    const bool is_initial = source == kNone;
    if ((is_initial || knows(other, source)) && !knows(other, read)) {
      changed = true;
      if (!put_before(read, other)) return false;
    }
    if (knows(read, other) && (is_initial || !knows(source, other))) {
      changed = true;
      if (is_initial || !put_before(other, source)) return false;
    }
  }
  return true;
}

bool Consistency::is_ready(Index i) const {
  const Node& event = events_[i];
  for (std::uint32_t thread = 0; thread < width_; ++thread) {
    const std::uint32_t needed = clock(i)[thread] - (thread == event.thread ? 1 : 0);
    if (done_[thread] < needed) return false;
  }
  if (!event.reads && !event.writes) return true;
  const Location& location = locations_[event.location];
  if (event.reads && location.last != event.source) return false;
  if (!event.writes) return true;
  const std::uint32_t left = location.last == kNone ? location.initial : reads_left_[location.last];
  return left == (event.reads ? 1 : 0);
}

// Whether to take it at once, where it is ready, excludes no order.
bool Consistency::is_safe(Index i) const {
  const Node& event = events_[i];
  return !event.writes || locations_[event.location].writes_left == 1;
}

Consistency::Index Consistency::first_safe() const {
  Index best = kNone;
  for (std::uint32_t thread = 0; thread < width_; ++thread) {
    if (done_[thread] == threads_[thread].size()) continue;
    const Index next = threads_[thread][done_[thread]];
    if (next < best && is_safe(next) && is_ready(next)) best = next;
  }
  return best;
}

void Consistency::take(Index i) {
  const Node& event = events_[i];
  ++done_[event.thread];
  order_.push_back(i);
  overwritten_.push_back(kNone);
  if (event.reads) --(event.source == kNone ? locations_[event.location].initial : reads_left_[event.source]);
  if (!event.writes) return;
  Location& location = locations_[event.location];
  --location.writes_left;
  overwritten_.back() = location.last;
  location.last = i;
}

void Consistency::take_back() {
  const Index i = order_.back();
  const Node& event = events_[i];
  if (event.writes) {
    Location& location = locations_[event.location];
    ++location.writes_left;
    location.last = overwritten_.back();
  }
  if (event.reads) ++(event.source == kNone ? locations_[event.location].initial : reads_left_[event.source]);
  order_.pop_back();
  overwritten_.pop_back();
  --done_[event.thread];
}

std::vector<std::uint32_t> Consistency::cut() const {
  std::vector<std::uint32_t> result = done_;
  for (const Location& location : locations_) result.push_back(location.last);
  return result;
}

Consistency::Answer Consistency::search(std::uint64_t cuts_max) {
  done_.assign(width_, 0);
  order_.clear();
  overwritten_.clear();
  seen_.clear();
  std::vector<Branch> branches;
  std::uint64_t cuts = 0;
  while (true) {
    for (Index safe = first_safe(); safe != kNone; safe = first_safe()) take(safe);
    if (order_.size() == events_.size()) return Answer::ordered;
    Branch branch{order_.size(), {}, 0};
    if (seen_.insert(cut()).second) {
      if (cuts++ == cuts_max) return Answer::undecided;
      for (std::uint32_t thread = 0; thread < width_; ++thread) {
        if (done_[thread] == threads_[thread].size()) continue;
        const Index next = threads_[thread][done_[thread]];
        if (is_ready(next)) branch.choices.push_back(next);
      }
      std::sort(branch.choices.begin(), branch.choices.end());
    }
    branches.push_back(std::move(branch));
    while (!branches.empty() && branches.back().next == branches.back().choices.size()) branches.pop_back();
    if (branches.empty()) return Answer::impossible;
    Branch& last = branches.back();
    while (order_.size() > last.length) take_back();
    take(last.choices[last.next++]);
  }
}

}  // namespace thrum
