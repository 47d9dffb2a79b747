// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order/class_counter.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace thrum {

namespace {

bool same_event(const Event& a, const Event& b) {
  return a.object == b.object && a.value == b.value && a.operand == b.operand && a.argument == b.argument &&
         a.update == b.update && a.index == b.index && a.thread == b.thread && a.operation == b.operation &&
         a.outcome == b.outcome && a.size == b.size && a.woken_by == b.woken_by && a.forced == b.forced;
}

}  // namespace

bool ClassCounter::has_class(const Trace& trace) {
  if (trace.end == End::finished) return true;
  if (trace.end != End::bug) return false;
  BugKind kind = trace.failure.kind;
  // A leak is found when the execution is over.
  return kind == BugKind::deadlock || kind == BugKind::livelock || kind == BugKind::leak;
}

bool ClassCounter::take(const Trace& trace) {
  if (unknown_ || !has_class(trace)) return false;
  read(trace);
  expect(order_);
  return settle();
}

void ClassCounter::expect(const PartialOrder& order, bool none_twice) {
  if (unknown_) return;
  if (order.has_chance() || (without_ != 0 && !none_twice)) return forget();
  none_twice_ = none_twice;
  expected_ = without_ != 0 ? 0 : order.fingerprint();
  if (without_ == 0) fingerprints_.expect(*expected_);
}

bool ClassCounter::settle() {
  if (!expected_) return false;
  const std::uint64_t fingerprint = *std::exchange(expected_, std::nullopt);
  if (without_ != 0) {
    ++without_;
    return true;
  }
  if (!fingerprints_.insert(fingerprint)) return false;
  if (fingerprints_.size() <= classes_max_) return true;
  if (!none_twice_) {
    forget();
    return false;
  }
  without_ = fingerprints_.size();
  fingerprints_ = NumberSet();
  return true;
}

void ClassCounter::begin_again() {
  fingerprints_ = NumberSet();
  expected_.reset();
  without_ = 0;
  unknown_ = false;
}

void ClassCounter::forget() {
  unknown_ = true;
  expected_.reset();
  fingerprints_ = NumberSet();
}

std::size_t ClassCounter::merge(const ClassCounter& other) {
  if (unknown_ || other.unknown_ || without_ != 0 || other.without_ != 0) {
    forget();
    return 0;
  }
  std::size_t known = 0;
  fingerprints_.reserve(fingerprints_.size() + other.fingerprints_.size());
  other.fingerprints_.for_each([&](std::uint64_t number) { known += fingerprints_.insert(number) ? 0 : 1; });
  if (fingerprints_.size() > classes_max_) forget();
  return known;
}

void ClassCounter::save(ByteWriter& out) const {
  out.put(unknown_);
  out.put(without_);
  out.put(std::uint64_t{fingerprints_.size()});
  fingerprints_.for_each([&](std::uint64_t number) {
    out.put(number);
    out.settle();
  });
}

void ClassCounter::load(ByteReader& in) {
  unknown_ = in.get<bool>();
  without_ = in.get<std::uint64_t>();
  const auto count = in.get<std::uint64_t>();
  fingerprints_.reserve(std::min<std::uint64_t>(count, in.left() / sizeof count));
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) fingerprints_.insert(in.get<std::uint64_t>());
}

std::optional<std::uint64_t> ClassCounter::count() const {
  if (unknown_) return std::nullopt;
  return without_ != 0 ? without_ : fingerprints_.size();
}

void ClassCounter::read(const Trace& trace) {
  std::size_t watch = 0;
  for (std::size_t i = begin_like_the_last(trace); i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    while (watch < trace.watches.size() && trace.watches[watch].event < i) ++watch;
    std::size_t watch_end = watch;
    while (watch_end < trace.watches.size() && trace.watches[watch_end].event == i) ++watch_end;
    order_.append(event, false, std::span(trace.watches).subspan(watch, watch_end - watch));
  }
  last_.assign(trace.events.begin(), trace.events.end());
  last_watched_ = !trace.watches.empty();
}

// Consecutive executions mostly begin alike. Takes back the steps that differ, and returns the index of the
// first event to append.
std::size_t ClassCounter::begin_like_the_last(const Trace& trace) {
  std::size_t same = 0;
  if (!last_watched_ && trace.watches.empty()) {
    const std::size_t most = std::min(last_.size(), trace.events.size());
    while (same < most && same_event(last_[same], trace.events[same])) ++same;
  }
  // Steps can be taken back, but not the hidden events between them. So the last equal step is taken back
  // too.
  PartialOrder::Index steps = 0;
  std::size_t resume = 0;
  for (std::size_t i = 0; i < same; ++i) {
    if (!is_visible(last_[i].operation)) continue;
    resume = i;
    ++steps;
  }
  if (steps == 0) {
    order_ = PartialOrder();
    return 0;
  }
  order_.truncate(steps - 1);
  return resume;
}

}  // namespace thrum
