// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/team.hpp"

#include <algorithm>

namespace thrum {

void Team::Worker::take_down(const Trace& trace) {
  if (search->wanted().from != Wanted::From::new_departure) {
    events = trace.events;
    return;
  }
  // All before the first step that is new.
  auto end = events.begin();
  for (auto steps = dynamic_cast<Dpor&>(*search).kept();
       end != events.end() && (!is_visible(end->operation) || steps-- > 0);)
    ++end;
  events.erase(end, events.end());
  events.insert(events.end(), trace.events.begin() + trace.branch, trace.events.end());
}

std::uint64_t Team::Worker::class_of_last() const {
  PartialOrder order;
  for (const Event& event : events) order.append(event);
  return order.fingerprint();
}

Team::Team(std::unique_ptr<Strategy> search, std::optional<std::uint64_t> shared_by)
    : shares_(shared_by.has_value()), random_(shared_by.value_or(0)) {
  workers_.push_back(std::make_unique<Worker>());
  workers_[0]->search = std::move(search);
  split_one_in_ = 1 + random_.below(3);
  merge_one_in_ = 1 + random_.below(4);
}

Team::Worker* Team::next(Plan& plan) {
  while (true) {
    const std::size_t turn = random_.below(workers_.size());
    Worker& worker = *workers_[turn];
    if (worker.waits) continue;
    if (!worker.is_done) {
      // A part may be merged before the search that another one was split off goes on.
      if (shares_ && random_.below(split_one_in_) == 0 && share(worker) && random_.below(2) == 0) continue;
      if (worker.search->next(plan)) return &worker;
      const Divisible* const divisible = worker.search->divisible();  // a best-first search has none
      worker.waits = divisible != nullptr && divisible->waits();
      if (worker.waits) continue;
      if (turn == 0) return nullptr;
      worker.is_done = true;
    }
    if (random_.below(merge_one_in_) != 0 && !is_nobody_left()) continue;
    worker.from->search->divisible()->merge(*worker.search);
    worker.from->waits = false;
    workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(turn));
  }
}

// All who are not done wait for those who are.
bool Team::is_nobody_left() const {
  return std::all_of(workers_.begin(), workers_.end(),
                     [](const auto& worker) { return worker->waits || worker->is_done; });
}

bool Team::share(Worker& worker) {
  std::unique_ptr<Strategy> part = worker.search->divisible()->split();
  if (part == nullptr) return false;
  ++parts_;
  auto other = std::make_unique<Worker>();
  other->search = std::move(part);
  other->from = &worker;
  other->events = worker.events;
  workers_.push_back(std::move(other));
  return true;
}

}  // namespace thrum
