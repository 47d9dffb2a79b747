// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order/partial_order.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "support/hash.hpp"

namespace thrum {

void PartialOrder::truncate(Index n) {
  if (n < steps_.size()) {
    rivals_.resize(steps_[n].rivals_begin);
    watches_.resize(steps_[n].watches_begin);
    for (Index i = size(); i-- > n;) {
      last_[places_[i].thread] = steps_[i].previous;
      last_of(places_[i]) = places_[i].before;
      by_chance_ -= steps_[i].by_chance ? 1 : 0;
    }
    steps_.resize(n);
    places_.resize(n);
    forget_hashes(n);
  }
  for (; !lessons_.empty() && lessons_.back().steps > n; lessons_.pop_back())
    last_lesson_[lessons_.back().thread] = lessons_.back().before;
  lesson_clocks_.resize(lessons_.size() * width_);
}

void PartialOrder::append(const Event& event, bool by_chance, std::span<const Watched> watches,
                          std::uint64_t condition) {
  if (event.thread >= width_) widen(event.thread);
  if (!is_visible(event.operation)) return append_hidden(event);
  const Index at = size();
  const Index previous = last_[event.thread];
  const Clock local = previous == kNone ? 1 : places_[previous].local + 1;
  Place& place = places_.emplace_back(place_of(event, local, by_chance || !watches.empty()));
  by_chance_ += by_chance ? 1 : 0;
  steps_.emplace_back(event, previous, static_cast<std::uint32_t>(rivals_.size()),
                      static_cast<std::uint32_t>(watches_.size()), condition, by_chance);
  watches_.insert(watches_.end(), watches.begin(), watches.end());
  if (clocks_.size() < std::size_t{2} * width_ * (at + 1))
    clocks_.resize(clocks_.size() + kRowsAtATime * 2 * width_);
  Clock* clock = row(at);
  put_past(clock, event.thread);
  last_[event.thread] = at;
  if (event.woken_by != 0 && event.woken_by <= at) join(clock, row(event.woken_by - 1));
  copy_row(clock + width_, clock, width_);
  const bool is_wide = place.begin == 0;
  // False if the step happens after step i and, through it, after all earlier steps that it depends on.
  const auto look_at = [&](Index i) {
    const Place& earlier = places_[i];
    if (earlier.end <= place.begin || place.end <= earlier.begin || (earlier.only_loads && place.only_loads))
      return true;
    if (clock[earlier.thread] < earlier.local) {
      if (!by_chance && !depends(event, watches, steps_[i])) return true;
      rivals_.push_back(i);
      join(clock, row(i));
    }
    return is_wide || !covers(steps_[i].event, event);
  };
  // The steps that it may depend on, the latest first: all of them, or those of its word, and those of any
  // word, for which that conclusion does not hold.
  const bool is_any = place.word == kAnyWord;
  Index all = is_any ? at : 0;
  Index changes = is_any ? 0 : last_of_word_[2 * place.word];
  Index loads = is_any || place.only_loads ? 0 : last_of_word_[2 * place.word + 1];
  Index wide = last_of_word_[2 * kAnyWord];
  // Two by two: a list of four goes through memory.
  while (const Index next = std::max(std::max(all, changes), std::max(loads, wide))) {
    const Index i = next - 1;
    if (next == all) --all;
    if (next == changes) changes = places_[i].before;
    if (next == loads) loads = places_[i].before;
    if (next == wide) wide = places_[i].before;
    if (!look_at(i)) all = changes = loads = 0;
  }
  place.before = std::exchange(last_of(place), at + 1);
  // Last, since join() reads several numbers of a row at a time.
  clock[event.thread] = clock[width_ + event.thread] = local;
}

// The ranges by which dependent() excludes most pairs. needs_all: the step may depend on steps with other
// objects.
PartialOrder::Place PartialOrder::place_of(const Event& event, Clock local, bool needs_all) {
  Place place{local, event.thread, kAnyWord, false, 0, 0, std::numeric_limits<std::uint64_t>::max()};
  if (needs_all || !is_simple(event.operation)) return place;
  place.begin = event.object;
  place.end = event.object + std::max(event.size, 1u);
  const std::uint64_t word = place.begin / 8;
  if (word != (place.end - 1) / 8) return place;
  place.word = static_cast<std::uint8_t>((word * 0x9e3779b97f4a7c15) >> 58);
  place.only_loads = event.operation == Operation::load;
  return place;
}

bool PartialOrder::depends(const Event& event, std::span<const Watched> watches, const Step& earlier) const {
  if (earlier.by_chance || dependent(earlier.event, event)) return true;
  return !watches.empty() && std::any_of(watches.begin(), watches.end(), [&](const Watched& watch) {
    return changes(earlier.event, watch.object, watch.size);
  });
}

bool PartialOrder::depend(Index early, Index late) const {
  const Step& step = steps_[late];
  if (step.by_chance || (step.creates && steps_[early].creates)) return true;
  return depends(step.event, watches(late), steps_[early]);
}

// Events that are no steps. Creation and join order two threads; others_ended orders all other threads before
// its own.
void PartialOrder::append_hidden(const Event& event) {
  auto other = static_cast<ThreadId>(event.argument);
  if (event.operation == Operation::thread_create) {
    if (other >= width_) widen(other);
    order_creation(event);
    teach(other, event.thread);
  } else if (event.operation == Operation::thread_join) {
    if (other >= width_) widen(other);
    teach(event.thread, other);
  } else if (event.operation == Operation::others_ended) {
    for (std::size_t each = 0; each < width_; ++each) {
      if (each != event.thread && last_[each] != kNone) teach(event.thread, static_cast<ThreadId>(each));
    }
  }
}

// Threads that several others create get their memory in the order of creation. So that addresses mean the
// same in all executions of a class, steps that create threads are dependent.
void PartialOrder::order_creation(const Event& event) {
  if (event.object == 0 || steps_.empty()) return;
  const Index at = size() - 1;
  steps_[at].creates = true;
  forget_hashes(at);
  for (Index i = at; i-- > 0;) {
    if (!steps_[i].creates || knows(row(at), i)) continue;
    rivals_.push_back(i);
    join(row(at), row(i));
  }
}

void PartialOrder::teach(ThreadId thread, ThreadId teacher) {
  lesson_clocks_.resize(lesson_clocks_.size() + width_);
  Clock* clock = lesson_clock(static_cast<Index>(lessons_.size()));
  put_past(clock, teacher);
  if (last_lesson_[thread] != kNone) join(clock, lesson_clock(last_lesson_[thread]));
  lessons_.emplace_back(thread, size(), last_lesson_[thread]);
  last_lesson_[thread] = static_cast<Index>(lessons_.size() - 1);
}

// The steps before the thread's next step: its causes, except the event that wakes it.
void PartialOrder::put_past(Clock* clock, ThreadId thread) const {
  const Index previous = last_[thread];
  const Index lesson = last_lesson_[thread];
  if (previous == kNone) {
    clear_row(clock, width_);
  } else {
    copy_row(clock, row(previous), width_);
    if (lesson == kNone || lessons_[lesson].steps <= previous) return;
  }
  if (lesson != kNone) join(clock, lesson_clock(lesson));
}

void PartialOrder::widen(ThreadId thread) {
  // Small steps, since rows are joined and copied whole.
  std::size_t width = std::max(thread + std::size_t{1}, width_ + width_ / 4);
  width = (width + kRowStep - 1) / kRowStep * kRowStep;
  for (std::vector<Clock>* clocks : {&clocks_, &lesson_clocks_}) {
    const std::size_t rows = width_ == 0 ? 0 : clocks->size() / width_;
    std::vector<Clock> wider(width * rows);
    for (std::size_t i = 0; i < rows; ++i)
      std::copy_n(clocks->data() + i * width_, width_, wider.data() + i * width);
    *clocks = std::move(wider);
  }
  width_ = width;
  last_.resize(width, kNone);
  last_lesson_.resize(width, kNone);
}

std::span<const PartialOrder::Index> PartialOrder::rivals(Index step) const {
  std::size_t end = step + 1 < steps_.size() ? steps_[step + 1].rivals_begin : rivals_.size();
  return std::span(rivals_).subspan(steps_[step].rivals_begin, end - steps_[step].rivals_begin);
}

std::span<const Watched> PartialOrder::watches(Index step) const {
  std::size_t end = step + 1 < steps_.size() ? steps_[step + 1].watches_begin : watches_.size();
  return std::span(watches_).subspan(steps_[step].watches_begin, end - steps_[step].watches_begin);
}

std::vector<PartialOrder::Index> PartialOrder::last_known(ThreadId thread) const {
  std::vector<Index> result;
  if (thread >= width_) return result;
  std::vector<Clock> clock(width_);
  put_past(clock.data(), thread);
  for (std::size_t other = 0; other < width_; ++other) {
    Index step = last_[other];
    while (step != kNone && !knows(clock.data(), step)) step = previous(step);
    if (step != kNone) result.push_back(step);
  }
  std::sort(result.begin(), result.end(), std::greater<>());
  return result;
}

std::uint64_t PartialOrder::fingerprint() const {
  for (auto i = static_cast<Index>(hashes_.size()); i < size(); ++i)
    hashes_.push_back((i > 0 ? hashes_[i - 1] : 0) + hash(i));
  return size() + (hashes_.empty() ? 0 : hashes_.back());
}

std::uint64_t PartialOrder::hash(Index step) const {
  const Event& event = steps_[step].event;
  std::uint64_t hash =
      mixed(event.thread, std::uint64_t(event.operation) << 24 | std::uint64_t(event.outcome) << 16);
  hash = mixed(hash, event.object);
  // What it chose: a value, or which thread it woke. Other values follow from what it read.
  if (event.operation == Operation::choose) hash = mixed(hash, event.value);
  if (event.operation == Operation::signal || event.operation == Operation::futex_wake)
    hash = mixed(hash, event.argument);
  // Two threads at a time; a pair of zeros counts as if the clock had no room for it. Every second pair goes
  // into another hash, so that the two are computed in parallel.
  const Clock* const clock = row(step);
  const auto mix_pair = [&](std::uint64_t& so_far, std::size_t thread) {
    const std::uint64_t pair = clock[thread] | std::uint64_t{clock[thread + 1]} << 32;
    if (pair != 0) so_far = mixed(so_far ^ (thread * 0xd6e8feb86659fd93), pair);
  };
  std::uint64_t other = ~hash;
  for (std::size_t thread = 0; thread < width_; thread += 4) {
    mix_pair(hash, thread);
    mix_pair(other, thread + 2);
  }
  return mixed(hash, other);
}

}  // namespace thrum
