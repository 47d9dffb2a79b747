// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/shortcuts/known_ends.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/base/engine.hpp"
#include "runtime/judge/judging.hpp"
#include "runtime/judge/leaks.hpp"
#include "runtime/judge/warnings.hpp"
#include "runtime/kernel/process_state.hpp"
#include "runtime/kernel/signals.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/threads/hooks.hpp"
#include "runtime/threads/livelock.hpp"
#include "runtime/threads/loader.hpp"
#include "runtime/threads/thread_pool.hpp"
#include "runtime/threads/timers.hpp"

namespace thrum {

constinit Forever<KnownEnds> the_known_ends;

namespace {

constexpr std::uint64_t kLong = 256;  // steps: shorter ends run faster than states are compared
constexpr std::size_t kEndsMax = 32;
constexpr std::size_t kStateBytesMax = std::size_t{1} << 24;  // bytes of one state
constexpr std::size_t kEventsMax = 256;                       // of one end

// If ends are hardly ever known, fewer and fewer of them are checked.
constexpr std::uint32_t kUnknownEndsMax = 64;
constexpr std::uint32_t kPauseMax = 1 << 12;

// If ends are mostly known: pages that only such an end wrote are not copied back each time but protected
// again, since an execution with a known end does not write them.
constexpr std::size_t kManyPages = 16;
constexpr std::uint32_t kMostlyKnown = 8;

}  // namespace

bool KnownEnds::KnownEnd::equals(const KnownEnd& other) const {
  auto same_span = [](std::span<const char> a, std::span<const char> b) {
    return a.data() == b.data() && a.size() == b.size();
  };
  if (point != other.point || destructors != other.destructors || keys != other.keys ||
      !std::equal(memory.begin(), memory.end(), other.memory.begin(), other.memory.end(), same_span))
    return false;
  const char* kept = bytes.data();
  for (std::span<const char> span : memory) {
    if (std::memcmp(span.data(), kept, span.size()) != 0) return false;
    kept += span.size();
  }
  return true;
}

// Whether events are needed for more than a strategy.
bool KnownEnds::is_looked_at() {
  return scheduler().director().records_places() || world.job->digest_traces || world.job->count_classes ||
         world.job->count_local_states || world.job->count_values || leak_search().notes_allocations() ||
         warnings().wants_events() || livelock_detector().is_watching();
}

// Whether collect() covers everything that the end depends on, and nobody watches the execution.
bool KnownEnds::may_be_known() {
  const Thread& main = scheduler().current();
  return scheduler().director().through() && !is_looked_at() && !world.made_calls && !on_system_threads() &&
         main.atomic_depth == 0 && !main.outer && main.robust.empty() && !main.settings &&
         !signals().used() && !process_state().changed() && !timers().changed() && !loader().has_error() &&
         !thread_pool().has_late_storage() && !leak_search().was_asked() && scheduler().clock_is_steady();
}

void KnownEnds::look_up(const CallerState& caller) {
  Scheduler& threads = scheduler();
  if (threads.current().slot != 0) return;
  for (std::uint16_t slot = 1; slot < threads.slots_used(); ++slot) {
    const Thread& other = threads.thread_in_slot(slot);
    if (!other.released || other.detached) return;
  }
  alone_ = true;
  steps_ = steps_done();
  if (!may_be_known()) return;
  if (pause_ != 0) {
    --pause_;
    return;
  }
  collect(caller);
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    if (!ends_[i].recorded && world.recording) continue;
    if (ends_[i].equals(now_) && leave_steps(ends_[i].steps)) end_as(i);
  }
  if (judging().judges()) keep();
}

void KnownEnds::collect(const CallerState& caller) {
  const Thread& main = scheduler().current();
  now_.point = {caller,        floating_point_modes(), scheduler().now_ns(),
                main.children, main.random_draws,      main.cancellation};
  now_.destructors = main.destructors;
  now_.keys = main.keys;
  now_.memory.clear();
  snapshot().add_changes(caller.stack_pointer, now_.memory);
  the_heap.add_changes(scheduler().slots_used(), now_.memory);
  now_.memory.push_back(thread_pool().main_storage());
}

void KnownEnds::end_as(std::size_t known) {
  std::rotate(ends_.begin(), ends_.begin() + static_cast<std::ptrdiff_t>(known),
              ends_.begin() + static_cast<std::ptrdiff_t>(known) + 1);
  const KnownEnd& end = ends_.front();
  scheduler().add_points(end.points);
  if (world.recording) {
    for (Event event : end.events) {
      event.index += scheduler().current().events - end.first_event;
      current_trace().events.push_back(event);
    }
  }
  unknown_ = 0;
  // The pages that restoring a waypoint writes must not be protected.
  if (++hits_ >= kMostlyKnown && snapshot().forget_unchanged(kManyPages)) forget_waypoints();
  end_execution();
}

void KnownEnds::keep() {
  hits_ = 0;
  if (++unknown_ > kUnknownEndsMax)
    pause_ = std::min(kPauseMax, std::uint32_t{1} << std::min(unknown_ - kUnknownEndsMax, 31u));
  std::size_t size = 0;
  for (std::span<const char> span : now_.memory) size += span.size();
  if (size > kStateBytesMax) return;
  if (ends_.size() == kEndsMax) ends_.pop_back();
  KnownEnd& end = ends_.emplace_back(now_);
  end.bytes.reserve(size);
  for (std::span<const char> span : end.memory) end.bytes.insert(end.bytes.end(), span.begin(), span.end());
  points_ = scheduler().points();
  choices_ = current_trace().choices.size();
  events_ = current_trace().events.size();
  end.recorded = world.recording;
  end.first_event = scheduler().current().events;
  threads_ = scheduler().threads_created();
  keeping_ = true;
  thread_pool().close_stacks(scheduler().slots_used());
}

void KnownEnds::give_up() {
  if (!keeping_) return;
  keeping_ = false;
  ends_.pop_back();
  thread_pool().open_stacks();
}

bool KnownEnds::open_stacks(std::uint64_t address) {
  if (!keeping_ || !thread_pool().is_stack(address)) return false;
  give_up();
  return true;
}

void KnownEnds::finish(const Trace& trace, bool whole) {
  if (!alone_) return;
  alone_ = false;
  std::uint64_t steps = steps_done() - steps_;
  whole = whole && !world.made_calls;
  if (whole && steps >= kLong && !long_) {
    long_ = true;
    forget_waypoints();  // in a waypoint, main's pending join has no recorded caller
  }
  if (!keeping_) return;
  if (!whole || steps < kLong || trace.choices.size() != choices_ ||
      trace.events.size() - events_ > kEventsMax || scheduler().threads_created() != threads_)
    return give_up();
  keeping_ = false;
  thread_pool().open_stacks();
  ends_.back().steps = steps;
  ends_.back().points = scheduler().points() - points_;
  ends_.back().events.assign(trace.events.begin() + static_cast<std::ptrdiff_t>(events_), trace.events.end());
  std::rotate(ends_.begin(), ends_.end() - 1, ends_.end());
}

void KnownEnds::forget() {
  give_up();
  ends_.clear();
}

void give_up_known_end() { known_ends().give_up(); }

bool open_known_stack(std::uint64_t address) { return known_ends().open_stacks(address); }

}  // namespace thrum
