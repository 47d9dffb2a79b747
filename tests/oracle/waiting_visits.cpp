// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/waiting_visits.hpp"

#include <algorithm>
#include <ranges>

namespace thrum {

namespace {

using Visit = WaitingVisits::Visit;

void note_write(Visit& visit, const WaitingAccess& access) {
  auto known = std::ranges::find(visit.writes, access.object, &Visit::Write::object);
  if (known == visit.writes.end()) {
    visit.writes.push_back({access.object, access.before, access.after});
    return;
  }
  known->last = access.after;
  known->was_seen = known->was_seen || known->is_overrun;
}

}  // namespace

void WaitingVisits::arrive(const WaitingLocal& local) {
  constexpr std::size_t kVisitsMax = 64;
  if (visits_.size() == kVisitsMax) visits_.erase(visits_.begin());
  visits_.push_back({local, {}});
}

void WaitingVisits::note_own(const WaitingAccess& access) {
  if (!access.writes) return;
  for (Visit& visit : visits_) note_write(visit, access);
}

void WaitingVisits::note_of_other(const WaitingAccess& access) {
  for (Visit& visit : visits_) {
    auto known = std::ranges::find(visit.writes, access.object, &Visit::Write::object);
    if (known == visit.writes.end()) continue;
    known->was_seen = known->was_seen || known->last != known->before;
    known->is_overrun = known->is_overrun || access.writes;
  }
}

WaitingVisits::Round WaitingVisits::round_to(const WaitingLocal& local,
                                             const WaitingMutations& mutations) const {
  auto is_nil = [&](const Visit::Write& write) {
    return mutations.ignores_effects ||
           (write.last == write.before && (mutations.ignores_seen || !write.was_seen) &&
            !(mutations.sees_behind && write.is_overrun));
  };
  for (const Visit& visit : std::views::reverse(visits_)) {
    if (visit.local != local) continue;
    if (visit.writes.empty()) return Round::pure;
    if (std::ranges::all_of(visit.writes, is_nil)) return Round::nil_effect;
  }
  return Round::none;
}

std::span<const Visit> WaitingVisits::since_effect() const {
  auto written = std::ranges::find_if(std::views::reverse(visits_),
                                      [](const Visit& visit) { return !visit.writes.empty(); });
  return {written.base(), visits_.end()};
}

bool WaitingVisits::comes_back(const WaitingLocal& local) const {
  return std::ranges::any_of(since_effect(), [&](const Visit& visit) { return visit.local == local; });
}

}  // namespace thrum
