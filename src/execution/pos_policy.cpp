// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "execution/pos_policy.hpp"

#include <algorithm>

#include "order/may_race.hpp"

namespace thrum {

namespace {

// The operation of the option, as far as races are concerned.
PendingOperation event_of(PendingOperation pending, Via via) {
  switch (via) {
    case Via::run: break;
    case Via::timeout: pending.operation = Operation::timeout; break;
    case Via::signal:
    case Via::signal_first: pending.operation = Operation::signal_handle; break;
    case Via::expiry: pending.operation = Operation::timer_expire; break;
    case Via::spurious: pending.operation = Operation::spurious_wake; break;
  }
  return pending;
}

}  // namespace

void PosPolicy::begin(const Policy& policy) {
  random_ = Random(policy.seed);
  priorities_.clear();
}

std::uint16_t PosPolicy::choose(const ChoicePoint& point, std::span<const Option> options, Pending&) {
  if (point.key.kind != ChoiceKind::thread) return static_cast<std::uint16_t>(random_.below(options.size()));
  std::uint16_t best = 0;
  std::uint64_t highest = 0;
  for (std::size_t i = 0; i < options.size(); ++i) {
    Source source = source_of(point, options, i);
    if (priorities_.size() <= source) priorities_.resize(source + 1, 0);
    std::uint64_t& priority = priorities_[source];
    if (priority == 0) priority = random_.next() | 1;
    if (priority <= highest) continue;
    highest = priority;
    best = static_cast<std::uint16_t>(i);
  }
  return best;
}

void PosPolicy::follow(const ChoicePoint& point, std::span<const Option> options, std::uint16_t taken,
                       Pending& threads) {
  if (point.key.kind != ChoiceKind::thread) return;
  std::span<const PendingOperation> all = threads.pending();
  const Option& option = options[taken];
  auto self = std::find_if(all.begin(), all.end(),
                           [&](const PendingOperation& one) { return one.thread == option.value; });
  if (self == all.end()) return;
  const PendingOperation event = event_of(*self, option.via);
  for (const PendingOperation& other : all) {
    const Source first = source_of(other.thread);
    for (Source source = first; source < first + kSourcesPerThread && source < priorities_.size(); ++source) {
      if (priorities_[source] == 0) continue;
      Source way = source - first;
      Via via = way == 0 ? Via::run : static_cast<Via>(way - 1);
      bool done = other.thread == option.value;  // it has another pending operation now
      if (done || may_race(event_of(other, via), event)) priorities_[source] = 0;
    }
  }
}

}  // namespace thrum
