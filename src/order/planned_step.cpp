// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order/planned_step.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

#include "support/hash.hpp"

namespace thrum {

namespace {

// A hash of the fields in which steps mostly differ.
std::uint64_t hash_of(const StepView& step) {
  const Event& event = *step.event;
  const std::uint64_t who = std::uint64_t{event.index} << 32 | std::uint64_t{event.thread} << 16 |
                            std::uint64_t(event.operation) << 8 | std::uint64_t(step.step.option.via);
  return mixed(event.object ^ step.step.choices, event.value) ^ mixed(who, event.operand);
}

bool same(const PlannedStep& a, const StepView& b) {
  return static_cast<const StepTraits&>(a) == b && a.event == *b.event;
}

}  // namespace

bool InnerChoices::Less::operator()(const List& a, const List& b) const {
  constexpr auto kFields = [](const Departure& one) {
    return std::tuple(one.key.thread, one.key.kind, one.key.index, one.option.value, one.option.via);
  };
  return std::ranges::lexicographical_compare(a, b, {}, kFields, kFields);
}

std::uint32_t InnerChoices::number_of(const List& list) {
  if (list.empty()) return 0;  // so for nearly every step of nearly every program
  const auto [known, is_new] = numbers_.try_emplace(list, static_cast<std::uint32_t>(lists_.size()));
  if (is_new) lists_.push_back(list);
  return known->second;
}

void InnerChoices::save(ByteWriter& out) const {
  out.put(std::uint64_t{lists_.size()});
  for (const List& list : lists_) out.put_all(list);
}

void InnerChoices::load(ByteReader& in) {
  *this = InnerChoices();
  List list;
  for (auto count = in.get<std::uint64_t>(); count > 0 && in.ok(); --count) {
    in.get_all(list);
    number_of(list);
  }
}

Via via_of(const Event& event) {
  switch (event.operation) {
    case Operation::timeout: return Via::timeout;
    case Operation::sleep: return event.outcome == Outcome::timed_out ? Via::timeout : Via::run;
    case Operation::spurious_wake: return Via::spurious;
    case Operation::timer_expire: return Via::expiry;
    case Operation::signal_handle: return Via::signal;
    default: return Via::run;
  }
}

Event essential(const Event& event) {
  Event kept;
  kept.object = event.object;
  kept.thread = event.thread;
  kept.operation = event.operation;
  kept.outcome = event.outcome;
  kept.size = event.size;
  kept.index = event.index;  // a foe is named by it
  switch (event.operation) {
    case Operation::wait_release:
    case Operation::wait_reacquire: kept.operand = event.operand; break;  // the mutex
    case Operation::cancel:
      kept.value = event.value;
      kept.operand = event.operand;
      break;
    default: break;
  }
  return kept;
}

PlannedStep unknown_step(const Step& step) {
  PlannedStep planned{step, {}};
  planned.event.thread = step.option.value;
  planned.event.operation = Operation::process_exit;
  return planned;
}

PlannedSteps::Number PlannedSteps::keep(const StepView& step) {
  if (size_ == buckets_.size()) fill_buckets(std::max<std::size_t>(64, 2 * size_));
  const std::uint64_t hash = hash_of(step);
  Number& first = bucket(hash);
  Number number = first;
  while (number != kNone && !(kept_[number].hash == hash && same(kept_[number].planned, step)))
    number = kept_[number].next;
  if (number == kNone) {
    number = free_;
    if (number == kNone) {
      number = static_cast<Number>(kept_.size());
      kept_.emplace_back();
    } else {
      free_ = kept_[number].next;
    }
    Kept& fresh = kept_[number];
    static_cast<StepTraits&>(fresh.planned) = step;  // in place: a copy would go through memory twice
    fresh.planned.event = *step.event;
    fresh.hash = hash;
    fresh.next = first;
    first = number;
    ++size_;
  }
  ++kept_[number].holders;
  return number;
}

void PlannedSteps::release(Number number) {
  Kept& kept = kept_[number];
  if (--kept.holders != 0) return;
  Number* link = &bucket(kept.hash);
  while (*link != number) link = &kept_[*link].next;
  *link = kept.next;
  kept.next = free_;
  free_ = number;
  --size_;
}

void PlannedSteps::fill_buckets(std::size_t count) {
  buckets_.assign(count, kNone);
  for (Number number = 0; number < kept_.size(); ++number) {
    Kept& kept = kept_[number];
    if (kept.holders == 0) continue;
    kept.next = bucket(kept.hash);
    bucket(kept.hash) = number;
  }
}

void PlannedSteps::load(ByteReader& in) {
  load_members(in, std::tie(kept_, free_));
  size_ = static_cast<std::size_t>(
      std::count_if(kept_.begin(), kept_.end(), [](const Kept& kept) { return kept.holders != 0; }));
  fill_buckets(std::bit_ceil(std::max<std::size_t>(64, size_)));
}

}  // namespace thrum
