// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/shortcuts/waypoints.hpp"

#include <algorithm>
#include <cstring>

#include "runtime/base/engine.hpp"
#include "runtime/base/world.hpp"
#include "runtime/judge/leaks.hpp"
#include "runtime/judge/warnings.hpp"
#include "runtime/kernel/process_state.hpp"
#include "runtime/kernel/signals.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/memory/memory_limit.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/shortcuts/known_ends.hpp"
#include "runtime/threads/hooks.hpp"
#include "runtime/threads/livelock.hpp"
#include "runtime/threads/loader.hpp"
#include "runtime/threads/test_framework.hpp"
#include "runtime/threads/thread_pool.hpp"
#include "runtime/threads/timers.hpp"

namespace thrum {

constinit Forever<Waypoints> the_waypoints;
constinit WantedWaypoint wanted_waypoint;

namespace {

constexpr std::size_t kWaypointsMax = 8;
constexpr std::size_t kWaypointBytesMax = std::size_t{256} << 10;
// The cost of a waypoint, in points that are repeated without it.
constexpr std::uint32_t kWorth = 12;

}  // namespace

bool Waypoints::is_plain(Wanted wanted) {
  return wanted.from != Wanted::From::start && !wanted.has(Wanted::kPast) && !world.job->digest_traces &&
         world.fatal == nullptr && !on_system_threads() && !leak_search().notes_allocations() &&
         !warnings().wants_events() && !livelock_detector().is_watching();
}

// Whether the state has only parts that a waypoint keeps.
bool Waypoints::is_simple() {
  const Director& director = scheduler().director();
  return !world.made_calls && !world.attention && scheduler().is_moment() && !director.is_paused() &&
         !(director.fair() && director.fair()->active()) && !signals().used() && !process_state().changed() &&
         !timers().changed() && !loader().has_error() && !thread_pool().has_late_storage() &&
         !leak_search().was_changed() && !livelock_detector().has_seen_any() && !known_ends().is_keeping();
}

// Whether the choice with that key comes after the waypoint or is its choice. A thread has one choice for
// each of its events. The choice at its last event was met before, unless it is the waypoint's.
bool Waypoints::comes_later(const Waypoint& waypoint, ChoiceKey key) {
  if (key == waypoint.key) return true;
  const std::vector<Thread>& threads = waypoint.scheduler.threads;
  auto thread =
      std::find_if(threads.begin(), threads.end(), [&](const Thread& each) { return each.id == key.thread; });
  return thread == threads.end() || key.index > thread->events;
}

bool Waypoints::is_on_the_way(const Waypoint& waypoint, const Plan& plan) const {
  const std::size_t followed = waypoint.departures.size();
  if (!waypoint.is_first && (plan.policy.kind != Policy::Kind::base || plan.policy != waypoint.policy))
    return false;
  if (plan.policy.fairness != waypoint.policy.fairness || plan.departures.size() < followed) return false;
  // It holds what awaits must know, or does not.
  const bool has_rounds = waypoint.policy.rounds != Rounds::repeat;
  if (has_rounds != (plan.policy.rounds != Rounds::repeat)) return false;
  // From the last departure on events are recorded and the advisor is asked.
  if (plan.departures.size() == followed) {
    if (!waypoint.is_first || is_advised_) return false;
  } else if (known_departures_ < followed) {
    return false;
  }
  return std::equal(waypoint.departures.begin(), waypoint.departures.end(), plan.departures.begin()) &&
         (plan.departures.size() == followed || comes_later(waypoint, plan.departures[followed].key));
}

// The state is too large to keep. The more often this happens, the longer no waypoint is set.
void Waypoints::refuse() {
  constexpr std::uint32_t kLongest = 16;
  refused_ = std::min(refused_ + 1, kLongest);
  pause_ = std::uint32_t{1} << refused_;
}

bool Waypoints::choose(const Plan& plan, bool is_advised, Wanted wanted) {
  plan_ = &plan;
  is_advised_ = is_advised;
  known_departures_ = wanted.known_departures;
  wanted_waypoint.point = kNever;
  wanted_waypoint.at_first_choice = false;
  const bool plain = is_plain(wanted) && world.job->waypoints;
  // Its events are recorded from the beginning.
  const bool whole = wanted.from == Wanted::From::new_departure && plan.departures.empty();
  while (used_ != 0 && (!plain || whole || !is_on_the_way(*waypoints_[used_ - 1], plan))) --used_;
  find_beginning();
  if (!plain || whole) return false;
  if (pause_ != 0) {
    --pause_;
  } else if (used_ == 0) {
    wanted_waypoint.at_first_choice = true;
  } else if (used_ == begun_ && used_ < kWaypointsMax) {
    const std::uint32_t point = forecast_.best_point(waypoints_[used_ - 1]->point(), kWorth);
    if (point != 0) wanted_waypoint.point = point;
  }
  return begun_ != 0;
}

// Whether the waypoint holds everything that an execution needs which is judged like this one.
bool Waypoints::is_complete(const Waypoint& waypoint) const {
  return (waypoint.is_judged || !judging().judges()) && (waypoint.is_named || !judging().names_events());
}

std::size_t Waypoints::judged_before(std::size_t waypoint) const {
  return static_cast<std::size_t>(std::count_if(waypoints_.begin(),
                                                waypoints_.begin() + static_cast<std::ptrdiff_t>(waypoint),
                                                [](const auto& each) { return each->is_judged; }));
}

// An execution that runs for the second time may be unable to begin at some waypoints. They are kept, since
// most executions can. But those are dropped which the judge forgets when it begins before them.
void Waypoints::find_beginning() {
  begun_ = used_;
  while (begun_ != 0 && !is_complete(*waypoints_[begun_ - 1])) --begun_;
  if (begun_ != 0 && judging().judges() && !race_judge().can_return()) {
    begun_ = used_ = 0;
    refuse();
  }
  const bool may_stay = judging().is_second() && judged_before(begun_) == judged_before(used_);
  if (!may_stay) used_ = begun_;
}

void Waypoints::restore() {
  const Waypoint& waypoint = *waypoints_[begun_ - 1];
  const char* from = waypoint.bytes.data();
  for (std::span<const char> place : waypoint.places) {
    std::memcpy(const_cast<char*>(place.data()), from, place.size());
    from += place.size();
  }
  the_shared_block.value.fetch_from_home();
  scheduler().restore(waypoint.scheduler);
  the_heap.use_region(scheduler().current().slot);
  the_memory_limit.set_taken(waypoint.memory_taken);
  if (!waypoint.passes_over) test_framework().begin_part();
  thrum_caller = waypoint.caller;
  if (world.job->races != Races::ignore && judging().judges())
    race_judge().return_to(judged_before(begun_ - 1), waypoint.races);
  if (judging().names_events()) judging().restore(waypoint.names);
}

void Waypoints::lead(Director& director) const {
  const Waypoint& waypoint = *waypoints_[begun_ - 1];
  director.skip(waypoint.departures.size(), waypoint.cost);
  world.wrote = waypoint.wrote;
}

std::uint64_t Waypoints::steps() const { return begun_ == 0 ? 0 : waypoints_[begun_ - 1]->steps; }

void Waypoints::set(ChoiceKey key, bool again) {
  const Director& director = scheduler().director();
  const bool is_first = !director.was_asked();
  const bool may_be = wanted_waypoint.at_first_choice ? is_first || plan_->policy.kind == Policy::Kind::base
                                                      : director.is_before_branch();
  wanted_waypoint.at_first_choice = false;
  wanted_waypoint.point = kNever;
  // After the plan's last departure the advisor may have answered.
  if (again || !may_be || (director.left() == 0 && is_advised_) || !is_simple()) return;
  setting_ = true;
  key_ = key;
  switch_to_engine();
}

// Collects what differs from the snapshot, and the live stacks. Dead parts of stacks are kept too, as deep as
// stacks are cleared at the beginning: waiting loops are recognised by them (spin.hpp).
bool Waypoints::collect(Waypoint& waypoint) {
  std::vector<std::span<const char>>& places = waypoint.places;
  places.clear();
  const Scheduler& threads = scheduler();
  auto kept_from = [&](const Thread& thread) {
    return std::min(static_cast<char*>(thread.context.stack_pointer),
                    thread.stack_top - threads.cleared_depth());
  };
  const std::uint16_t slots = threads.slots_used();
  snapshot().add_changes(reinterpret_cast<std::uint64_t>(kept_from(scheduler().thread_in_slot(0))), places);
  the_heap.add_changes(slots, places);
  the_heap.add_starts(slots, places);
  places.push_back(thread_pool().storage(0));
  for (std::uint16_t slot = 1; slot < slots; ++slot) {
    const Thread& thread = scheduler().thread_in_slot(slot);
    if (thread.life == Life::ended && &thread != &scheduler().current()) continue;
    const char* from = kept_from(thread);
    places.emplace_back(from, static_cast<std::size_t>(thread.stack_top - from));
    places.push_back(thread_pool().storage(slot));
  }
  std::size_t size = 0;
  for (std::span<const char> place : places) size += place.size();
  if (size > kWaypointBytesMax) return false;
  if (waypoint.bytes.size() < size) waypoint.bytes.resize(size);
  char* to = waypoint.bytes.data();
  for (std::span<const char> place : places) {
    std::memcpy(to, place.data(), place.size());
    to += place.size();
  }
  return true;
}

bool Waypoints::keep() {
  if (!setting_) return false;
  setting_ = false;
  if (used_ == waypoints_.size()) waypoints_.push_back(std::make_unique<Waypoint>());
  Waypoint& waypoint = *waypoints_[used_];
  const Director& director = scheduler().director();
  const std::size_t followed = plan_->departures.size() - director.left();
  if (!collect(waypoint)) {
    refuse();
    return true;
  }
  waypoint.departures.assign(plan_->departures.begin(),
                             plan_->departures.begin() + static_cast<std::ptrdiff_t>(followed));
  waypoint.policy = plan_->policy;
  waypoint.is_first = !director.was_asked();
  waypoint.key = key_;
  waypoint.cost = current_trace().cost;
  waypoint.steps = steps_done();
  waypoint.memory_taken = the_memory_limit.taken();
  waypoint.caller = thrum_caller;
  waypoint.wrote = world.wrote;
  waypoint.passes_over = test_framework().passes_over();
  scheduler().save(waypoint.scheduler);
  waypoint.is_judged = judging().judges();
  waypoint.is_named = judging().names_events();
  if (world.job->races != Races::ignore && waypoint.is_judged) race_judge().set_mark(waypoint.races);
  if (waypoint.is_named) judging().save(waypoint.names);
  ++used_;
  return true;
}

void Waypoints::finish(const Director& director) {
  if (scheduler().slots_used() == kThreadsMax) forget();  // stacks may belong to other threads now
  const std::uint32_t branch = director.branch_point();
  if (used_ != 0 && branch != kNever) forecast_.note(branch + 1);
}

void Waypoints::forget() {
  used_ = begun_ = 0;
  forecast_.forget();
  refused_ = pause_ = 0;
}

void forget_waypoints() { waypoints().forget(); }

void set_waypoint(ChoiceKey key, bool same_key) { waypoints().set(key, same_key); }

}  // namespace thrum
