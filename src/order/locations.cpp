// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order/locations.hpp"

#include <algorithm>

namespace thrum {

namespace {

enum class Touches : std::uint8_t {
  nothing,
  memory,
  object,
  object_and_mutex,
  unknown,  // classes are not defined
};

Touches touches(Operation operation) {
  switch (operation) {
    case Operation::load:
    case Operation::store:
    case Operation::read_modify_write:
    case Operation::compare_exchange:
    case Operation::plain_load:
    case Operation::plain_store:
    case Operation::racy_load:
    case Operation::racy_store:
    case Operation::racy_free: return Touches::memory;
    case Operation::wait_release:
    case Operation::wait_reacquire: return Touches::object_and_mutex;
    case Operation::lock:
    case Operation::try_lock:
    case Operation::unlock:
    case Operation::shared_lock:
    case Operation::try_shared_lock:
    case Operation::shared_unlock:
    case Operation::lock_queue:
    case Operation::lock_destroy:
    case Operation::signal:
    case Operation::broadcast:
    case Operation::semaphore_wait:
    case Operation::semaphore_try_wait:
    case Operation::semaphore_post:
    case Operation::barrier_wait:
    case Operation::barrier_leave:
    case Operation::once_enter:
    case Operation::once_leave:
    case Operation::atomic_section:
    case Operation::futex_wait:
    case Operation::futex_return:
    case Operation::futex_wake:
    case Operation::timeout:
    case Operation::sleep:
    case Operation::clock_read:
    case Operation::random_draw:
    case Operation::signal_pending:
    case Operation::signal_mask:
    case Operation::signal_action: return Touches::object;
    case Operation::fence:
    case Operation::yield:
    case Operation::cancel_setting:
    case Operation::cancel_test:
    case Operation::choose:
    case Operation::point:
    case Operation::detach:
    case Operation::process_exit: return Touches::nothing;
    default: return Touches::unknown;
  }
}

bool is_load(const Event& event) {
  return event.operation == Operation::load || event.operation == Operation::racy_load ||
         event.operation == Operation::clock_read;
}

std::uint64_t end_of(const Event& event) { return event.object + std::max(event.size, 1u); }

}  // namespace

bool Locations::handles(Operation operation) { return touches(operation) != Touches::unknown; }

std::uint32_t Locations::learn(const Event& event) {
  const Touches what = touches(event.operation);
  if (what == Touches::nothing || what == Touches::unknown || event.object == 0) return kNone;
  const std::uint32_t location = learn(event.object, end_of(event), what != Touches::memory);
  if (what == Touches::object_and_mutex && event.operand != 0)
    join(location, learn(event.operand, event.operand + 1, true));
  if (event.timed || event.operation == Operation::timeout) join(location, learn(kClock, kClock + 1, true));
  return root(location);
}

void Locations::learn(const RecordedAccess& access) {
  if (!access.in_section || access.object == 0) return;
  if (access.operation == Operation::plain_load || access.operation == Operation::plain_store) return;
  const Touches what = touches(access.operation);
  if (what == Touches::nothing || what == Touches::unknown) return;
  const std::uint64_t end = access.object + std::max(access.size, 1u);
  join(learn(kSections, kSections + 1, true), learn(access.object, end, what != Touches::memory));
}

std::uint32_t Locations::find(const Event& event) const {
  const Touches what = touches(event.operation);
  if (what == Touches::nothing || what == Touches::unknown) return kNone;
  auto range = ranges_.upper_bound(event.object);
  if (range == ranges_.begin()) return kNone;
  --range;
  return range->second.end > event.object ? root(range->second.group) : kNone;
}

bool Locations::reads(const Event& event, std::uint32_t location) const {
  if (is_object(location)) return true;
  return event.operation != Operation::store && event.operation != Operation::racy_store &&
         event.operation != Operation::racy_free;
}

bool Locations::writes(const Event& event, std::uint32_t location) const {
  if (is_load(event)) return false;
  return is_object(location) || event.outcome == Outcome::done;
}

std::uint32_t Locations::learn(std::uint64_t begin, std::uint64_t end, bool is_object) {
  auto first = ranges_.upper_bound(begin);
  if (first != ranges_.begin() && std::prev(first)->second.end > begin) --first;
  if (first == ranges_.end() || first->first >= end) {
    const auto group = static_cast<std::uint32_t>(groups_.size());
    groups_.push_back({group, is_object});
    ranges_.emplace(begin, Range{end, group});
    return group;
  }
  const std::uint32_t group = root(first->second.group);
  const bool is_same = first->first == begin && first->second.end == end;
  if (!groups_[group].is_object && (is_object || !is_same)) {
    groups_[group].is_object = true;
    ++changes_;
  }
  if (first->first <= begin && end <= first->second.end) return group;
  // Several become one.
  const std::uint64_t from = std::min(begin, first->first);
  std::uint64_t to = end;
  auto last = first;
  for (; last != ranges_.end() && last->first < end; ++last) {
    to = std::max(to, last->second.end);
    join(group, last->second.group);
  }
  ranges_.erase(first, last);
  ranges_.emplace(from, Range{to, root(group)});
  return root(group);
}

std::uint32_t Locations::root(std::uint32_t group) const {
  while (groups_[group].parent != group) group = groups_[group].parent;
  return group;
}

void Locations::join(std::uint32_t a, std::uint32_t b) {
  a = root(a);
  b = root(b);
  if (a == b) return;
  groups_[std::max(a, b)].parent = std::min(a, b);
  groups_[std::min(a, b)].is_object = true;
  ++changes_;
}

}  // namespace thrum
