// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/partial_order.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "support/check.hpp"

namespace thrum {

void PartialOrder::truncate(Index n) {
  if (n < steps_.size()) {
    rivals_.resize(steps_[n].rivals_begin);
    watches_.resize(steps_[n].watches_begin);
    for (Index i = size(); i-- > n;) last_[steps_[i].event.thread] = steps_[i].previous;
    steps_.resize(n);
    clocks_.resize(std::size_t{2} * width_ * n);
  }
  while (!undo_.empty() && undo_.back().steps > n) {
    known_[undo_.back().thread] = std::move(undo_.back().known);
    undo_.pop_back();
  }
}

void PartialOrder::append(const Event& event, bool by_chance, std::span<const Watched> watches) {
  widen(event.thread);
  if (!is_visible(event.operation)) return append_hidden(event);
  Step step{};
  step.event = event;
  step.local = 1;
  step.previous = last_[event.thread];
  if (step.previous != kNone) step.local = steps_[step.previous].local + 1;
  step.rivals_begin = static_cast<std::uint32_t>(rivals_.size());
  step.watches_begin = static_cast<std::uint32_t>(watches_.size());
  step.by_chance = by_chance;
  watches_.insert(watches_.end(), watches.begin(), watches.end());
  const Index at = size();
  clocks_.resize(clocks_.size() + 2 * width_);
  Clock* clock = row(at);
  know_now(event.thread, clock);
  clock[event.thread] = step.local;
  if (event.woken_by != 0 && event.woken_by <= at) join(clock, row(event.woken_by - 1));
  std::copy_n(clock, width_, clock + width_);
  for (Index i = at; i-- > 0;) {
    if (knows(clock, i)) continue;
    if (!by_chance && !depends(event, watches, steps_[i])) continue;
    rivals_.push_back(i);
    join(clock, row(i));
  }
  steps_.push_back(step);
  last_[event.thread] = at;
}

bool PartialOrder::depends(const Event& event, std::span<const Watched> watches, const Step& earlier) const {
  if (earlier.by_chance || dependent(earlier.event, event)) return true;
  return std::any_of(watches.begin(), watches.end(),
                     [&](const Watched& watch) { return changes(earlier.event, watch.object, watch.size); });
}

bool PartialOrder::depend(Index early, Index late) const {
  const Step& step = steps_[late];
  if (step.by_chance || (step.creates && steps_[early].creates)) return true;
  return depends(step.event, watches(late), steps_[early]);
}

// Of those that are no steps, creation and join order the events of two threads.
void PartialOrder::append_hidden(const Event& event) {
  auto other = static_cast<ThreadId>(event.argument);
  if (event.operation == Operation::thread_create) {
    widen(other);
    order_creation(event);
    learn(other, event.thread);
  } else if (event.operation == Operation::thread_join) {
    widen(other);
    learn(event.thread, other);
  }
}

// Threads that several others create get their memory in the order of creation. So that addresses mean the
// same in all executions of a class, the order of such steps counts.
void PartialOrder::order_creation(const Event& event) {
  if (event.object == 0 || steps_.empty()) return;
  const Index at = size() - 1;
  steps_[at].creates = true;
  for (Index i = at; i-- > 0;) {
    if (!steps_[i].creates || knows(row(at), i)) continue;
    rivals_.push_back(i);
    join(row(at), row(i));
  }
}

// From now on the thread knows what the other knows now.
void PartialOrder::learn(ThreadId thread, ThreadId from) {
  undo_.push_back({size(), thread, known_[thread]});
  std::vector<Clock> clock(width_);
  know_now(from, clock.data());
  join(known_[thread].data(), clock.data());
}

void PartialOrder::know_now(ThreadId thread, Clock* clock) const {
  std::copy_n(known_[thread].data(), width_, clock);
  if (last_[thread] != kNone) join(clock, row(last_[thread]));
}

void PartialOrder::join(Clock* to, const Clock* from) const {
  for (std::size_t i = 0; i < width_; ++i) to[i] = std::max(to[i], from[i]);
}

void PartialOrder::widen(ThreadId thread) {
  if (thread < width_) return;
  std::size_t width = std::max<std::size_t>(width_ * 2, 4);
  while (thread >= width) width *= 2;
  std::vector<Clock> clocks(2 * width * steps_.size());
  for (std::size_t line = 0; line < 2 * steps_.size(); ++line) {
    std::copy_n(clocks_.data() + line * width_, width_, clocks.data() + line * width);
  }
  clocks_ = std::move(clocks);
  width_ = width;
  last_.resize(width, kNone);
  known_.resize(width);
  for (auto& known : known_) known.resize(width);
  for (Undo& undo : undo_) undo.known.resize(width);
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
  know_now(thread, clock.data());
  for (std::size_t other = 0; other < width_; ++other) {
    Index step = last_[other];
    while (step != kNone && !knows(clock.data(), step)) step = previous(step);
    if (step != kNone) result.push_back(step);
  }
  std::sort(result.begin(), result.end(), std::greater<>());
  return result;
}

bool PartialOrder::has_chance() const {
  return std::any_of(steps_.begin(), steps_.end(), [](const Step& step) { return step.by_chance; });
}

void PartialOrder::save(ByteWriter& out) const {
  out.put(std::uint64_t{width_});
  out.put_all(steps_);
  out.put_all(clocks_);
  out.put_all(rivals_);
  out.put_all(watches_);
  out.put_all(last_);
  for (const auto& known : known_) out.put_all(known);
  out.put(std::uint64_t{undo_.size()});
  for (const Undo& undo : undo_) {
    out.put(undo.steps);
    out.put(undo.thread);
    out.put_all(undo.known);
  }
}

void PartialOrder::load(ByteReader& in) {
  width_ = in.get<std::uint64_t>();
  in.get_all(steps_);
  in.get_all(clocks_);
  in.get_all(rivals_);
  in.get_all(watches_);
  in.get_all(last_);
  known_.clear();
  for (std::size_t i = 0; i < width_ && in.ok(); ++i) in.get_all(known_.emplace_back());
  undo_.clear();
  for (auto count = in.get<std::uint64_t>(); count > 0 && in.ok(); --count) {
    Undo& undo = undo_.emplace_back();
    undo.steps = in.get<Index>();
    undo.thread = in.get<ThreadId>();
    in.get_all(undo.known);
  }
}

std::uint64_t PartialOrder::fingerprint() const {
  auto mix = [](std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    return hash ^ (hash >> 29);
  };
  std::uint64_t sum = steps_.size();
  for (Index i = 0; i < size(); ++i) {
    const Event& event = steps_[i].event;
    std::uint64_t hash = mix(event.thread, steps_[i].local);
    hash = mix(hash, std::uint64_t(event.operation) << 8 | std::uint64_t(event.outcome));
    hash = mix(hash, event.object);
    // What it chose: a value, or whom it woke. Other values follow from what it read.
    if (event.operation == Operation::choose) hash = mix(hash, event.value);
    if (event.operation == Operation::signal || event.operation == Operation::futex_wake)
      hash = mix(hash, event.argument);
    for (std::size_t thread = 0; thread < width_; ++thread) {
      if (row(i)[thread] != 0) hash = mix(hash, std::uint64_t{thread} << 32 | row(i)[thread]);
    }
    sum += mix(hash, 0);
  }
  return sum;
}

}  // namespace thrum
