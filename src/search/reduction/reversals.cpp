// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/reduction/reversals.hpp"

#include <algorithm>
#include <optional>

namespace thrum {

namespace {

using Index = PartialOrder::Index;

// The condition that an operation waits for.
enum class Awaits : std::uint8_t {
  nothing,  // or an event that wakes it, which is a cause
  lock,
  semaphore,
  something,  // not known from events
};

Awaits awaits(Operation operation) {
  switch (operation) {
    case Operation::lock:
    case Operation::wait_reacquire:
    case Operation::once_enter: return Awaits::lock;
    case Operation::semaphore_wait: return Awaits::semaphore;
    case Operation::shared_lock:
    case Operation::signal_accept:
    case Operation::signal_handle:
    case Operation::sleep:
    case Operation::try_join:
    case Operation::cancelled:
    case Operation::timer_expire: return Awaits::something;
    default: return Awaits::nothing;
  }
}

// The lock that an operation takes, releases or tests; 0: none.
std::uint64_t lock_of(const Event& event) {
  switch (event.operation) {
    case Operation::lock:
    case Operation::try_lock:
    case Operation::unlock:
    case Operation::shared_lock:
    case Operation::try_shared_lock:
    case Operation::shared_unlock:
    case Operation::lock_queue:
    case Operation::once_enter:
    case Operation::once_leave: return event.object;
    case Operation::wait_release:
    case Operation::wait_reacquire: return event.operand;
    default: return 0;
  }
}

enum class OnLock : std::uint8_t { take, let_go, ask, share };

OnLock on_lock(const Event& event) {
  if (event.outcome == Outcome::failed || event.outcome == Outcome::unchanged) return OnLock::ask;
  switch (event.operation) {
    case Operation::lock:
    case Operation::try_lock:
    case Operation::once_enter:
    case Operation::wait_reacquire: return OnLock::take;
    case Operation::unlock:
    case Operation::once_leave:
    case Operation::wait_release: return OnLock::let_go;
    default: return OnLock::share;
  }
}

// While a lock is held no other thread takes it: searches from the last step back to the step at which the
// lock was free. Its holder may have taken it several times.
Reversal before_taken(const PartialOrder& order, Index late, Index last) {
  const std::uint64_t lock = lock_of(order.event(late));
  Index taken = PartialOrder::kNone;
  std::uint32_t let_go = 0;  // releases after the present step
  for (Index i = last + 1; i-- > 0;) {
    const Event& event = order.event(i);
    if (lock_of(event) != lock) continue;
    const OnLock what = on_lock(event);
    if (what == OnLock::ask) continue;
    if (what == OnLock::share) return {last, false};
    if (taken != PartialOrder::kNone) {
      if (what == OnLock::let_go || event.thread != order.event(taken).thread) break;
      taken = i;
    } else if (what == OnLock::let_go) {
      ++let_go;
    } else if (let_go <= 1) {
      taken = i;
    } else {
      --let_go;
    }
  }
  if (taken == PartialOrder::kNone || order.causes(taken, late)) return {};
  return {taken};
}

Reversal reverse_lock(const PartialOrder& order, Index late, Index rival) {
  const Event& event = order.event(rival);
  if (event.operation == Operation::cancel || event.operation == Operation::lock_destroy)
    return {rival, false};
  if (lock_of(event) != lock_of(order.event(late))) return {rival};
  return before_taken(order, late, rival);
}

// A waiting loop goes on when something that it read has changed: another step must have changed it.
Reversal reverse_watch(const PartialOrder& order, Index late, Index rival) {
  const Index previous = order.previous(late);
  for (Index i = previous == PartialOrder::kNone ? 0 : previous + 1; i < late; ++i) {
    if (i == rival || (i > rival && order.ordered(rival, i))) continue;
    for (const Watched& watch : order.watches(late)) {
      if (changes(order.event(i), watch.object, watch.size)) return {rival};
    }
  }
  return {};
}

bool touches_semaphore(const Event& event, std::uint64_t semaphore) {
  switch (event.operation) {
    case Operation::semaphore_wait:
    case Operation::semaphore_try_wait:
    case Operation::semaphore_post: return event.object == semaphore;
    default: return false;
  }
}

// The count before the step, if all posts between the step and `late` that do not depend on the step had been
// done.
std::uint64_t count_before(const PartialOrder& order, Index step, Index late) {
  const Event& event = order.event(step);
  if (event.operation != Operation::semaphore_post) {
    return event.outcome == Outcome::failed ? event.value : event.value + 1;
  }
  std::uint64_t count = event.value - 1;
  for (Index i = step + 1; i < late; ++i) {
    const Event& other = order.event(i);
    if (other.operation == Operation::semaphore_post && other.object == event.object &&
        !order.ordered(step, i)) {
      ++count;
    }
  }
  return count;
}

// Searches from the last step, on which `late` depends, back to a step at which the count was not 0.
Reversal before_used_up(const PartialOrder& order, Index late, Index last) {
  const std::uint64_t semaphore = order.event(late).object;
  for (Index i = last + 1; i-- > 0;) {
    if (!touches_semaphore(order.event(i), semaphore) || !order.ordered(i, last)) continue;
    if (order.causes(i, late)) break;
    if (count_before(order, i, late) > 0) return {i};
  }
  return {};
}

Reversal reverse_semaphore(const PartialOrder& order, Index late, Index rival) {
  const Event& event = order.event(rival);
  if (event.operation == Operation::cancel) return {rival, false};
  if (!touches_semaphore(event, order.event(late).object)) return {rival};
  return before_used_up(order, late, rival);
}

bool is_atomic_access(Operation operation) {
  switch (operation) {
    case Operation::load:
    case Operation::store:
    case Operation::read_modify_write:
    case Operation::compare_exchange: return true;
    default: return false;
  }
}

// The value that the late access reads if it comes before the early step, behind all that does not happen
// after that step; nothing: it cannot be told.
std::optional<std::uint64_t> value_before(const PartialOrder& order, Index late, Index early) {
  const Event& event = order.event(late);
  const auto is_same = [&](const Event& other) {
    return is_atomic_access(other.operation) && other.object == event.object && other.size == event.size &&
           event.size <= sizeof event.value;
  };
  if (is_same(order.event(early))) return order.event(early).value;
  for (Index i = late; i-- > 0;) {
    const Event& other = order.event(i);
    if (i >= early && order.ordered(early, i)) continue;
    if (is_same(other)) return is_read(other) ? other.value : other.operand;
    if (changes(other, event.object, event.size)) return std::nullopt;
  }
  // Nothing has written it before.
  for (Index i = 0; i < order.size(); ++i) {
    if (i != late && is_same(order.event(i))) return order.event(i).value;
    if (i != late && changes(order.event(i), event.object, event.size)) return std::nullopt;
  }
  return std::nullopt;
}

// Whether a thread that waited may go on behind it.
bool lets_go(const Event& event) {
  switch (event.operation) {
    case Operation::unlock:
    case Operation::shared_unlock:
    case Operation::wait_release:
    case Operation::semaphore_post: return true;
    default: return false;
  }
}

// Whether the late operation was waiting for what the early one does, had it come by then, and for a limited
// time.
bool ends_wait(const Event& early, const Event& late) {
  if (!late.timed) return false;
  switch (late.operation) {
    case Operation::lock:
      return early.operation == Operation::unlock || early.operation == Operation::wait_release ||
             early.operation == Operation::shared_unlock;
    case Operation::shared_lock: return early.operation == Operation::unlock;
    case Operation::semaphore_wait: return early.operation == Operation::semaphore_post && early.value == 1;
    case Operation::try_join: return true;
    default: return false;
  }
}

}  // namespace

Reversal reversal(const PartialOrder& order, Index late, Index rival) {
  // The thread could go on in no other way.
  if (order.event(late).forced || order.event(rival).forced) return {};
  if (!order.watches(late).empty()) return reverse_watch(order, late, rival);
  switch (awaits(order.event(late).operation)) {
    case Awaits::nothing: return {rival};
    case Awaits::lock: return reverse_lock(order, late, rival);
    case Awaits::semaphore: return reverse_semaphore(order, late, rival);
    case Awaits::something: return {rival, false};
  }
  return {rival, false};
}

Event as_reversed(const PartialOrder& order, Index late, Index before) {
  Event event = order.event(late);
  const Event& early = order.event(before);
  // If the outcome is not known, assumes the one that depends on more.
  if (event.outcome == Outcome::failed || event.outcome == Outcome::unchanged) event.outcome = Outcome::done;
  switch (event.operation) {
    case Operation::try_lock:
      if (lock_of(early) == event.object && on_lock(early) == OnLock::let_go) event.outcome = Outcome::failed;
      break;
    case Operation::semaphore_try_wait:
      if (touches_semaphore(early, event.object) && count_before(order, before, late) == 0)
        event.outcome = Outcome::failed;
      break;
    case Operation::read_modify_write:
    case Operation::compare_exchange:
      // It would read the value that the earlier access read or overwrote.
      if (is_atomic_access(early.operation) && early.object == event.object && early.size == event.size &&
          event.size <= sizeof event.value)
        event.outcome = outcome_on(event, early.value);
      break;
    default: break;
  }
  return event;
}

Reversal reversal_of_blocked(const PartialOrder& order, Index late) {
  const Event& event = order.event(late);
  switch (awaits(event.operation)) {
    case Awaits::nothing: return {};
    case Awaits::lock: return late == 0 ? Reversal{} : before_taken(order, late, late - 1);
    case Awaits::semaphore:
      for (Index i = late; i-- > 0;) {
        if (touches_semaphore(order.event(i), event.object)) return before_used_up(order, late, i);
      }
      return {};
    case Awaits::something: break;
  }
  std::span<const Index> rivals = order.rivals(late);
  return rivals.empty() ? Reversal{} : Reversal{rivals[0], false};
}

Step Reversals::as_taken(const Path& path, Index late) {
  return {late < path.size() ? path[late].step.option : Option{path.order().event(late).thread, Via::run}, 0};
}

std::span<const Reversals::Found> Reversals::of_race(const Path& path, Index late, Index rival) {
  found_.clear();
  find(path, late, reversal(path.order(), late, rival));
  if (ends_wait(path.order().event(rival), path.order().event(late))) find_timeout(path, late, rival);
  return found_;
}

std::span<const Reversals::Found> Reversals::of_blocked(const Path& path, Index late) {
  found_.clear();
  find(path, late, reversal_of_blocked(path.order(), late));
  return found_;
}

std::span<const Reversals::Found> Reversals::of_await(const Path& path, Index late,
                                                      const Conditions& conditions, Index end) {
  found_.clear();
  unknown_.clear();
  const PartialOrder& order = path.order();
  const Event& event = order.event(late);
  for (Index i = late; i-- > 0;) {
    if (order.event(i).thread == event.thread || order.causes(i, late)) continue;
    if (i != end && !order.depend(i, late)) continue;
    const bool is_covered = std::ranges::any_of(
        found_, [&](const Found& found) { return found.is_sure && order.ordered(i, found.early); });
    if (is_covered || order.event(i).forced) continue;
    const std::optional<std::uint64_t> value = value_before(order, late, i);
    if (!value) {
      found_.push_back({i, false});
      continue;
    }
    switch (conditions.ask(order.condition(late), *value)) {
      case Conditions::Answer::refused: break;
      case Conditions::Answer::enabled:
        add(path, late, i);
        if (i == end) return found_;  // its races are seen when it is run there
        break;
      case Conditions::Answer::unknown: unknown_.push_back({i, *value}); break;
    }
  }
  return found_;
}

void Reversals::find(const Path& path, Index late, Reversal turned) {
  if (turned.before == PartialOrder::kNone) return;
  if (!turned.certain) {
    find_unsure(path, late, turned.before);
  } else if (late < path.size() && is_by_chance(path[late].step.option.via)) {
    find_by_chance(path, late, turned.before);
  } else {
    add(path, late, turned.before);
  }
}

// While it waited for what its rival did, its time could have run out.
void Reversals::find_timeout(const Path& path, Index late, Index rival) {
  const Option timeout{path.order().event(late).thread, Via::timeout};
  if (late >= path.size() || path[late].step.option.via != Via::run) return;
  if (path.order().was_pending(late, rival) && !path.is_option(rival, timeout)) return;
  found_.push_back({rival, true, {timeout, 0}});
}

// Whether the late step could go on before its rival, or before what that depends on, cannot be told from
// events. So every thread is tried there, back to where it is seen that it could.
void Reversals::find_unsure(const Path& path, Index late, Index rival) {
  const PartialOrder& order = path.order();
  const Option option = as_taken(path, late).option;
  for (Index i = rival + 1; i-- > 0;) {
    if (order.causes(i, late)) return;
    if (i != rival && !dependent(order.event(i), order.event(late))) continue;
    if (order.was_pending(late, i) && path.is_option(i, option)) return add(path, late, i);
    found_.push_back({i, false});
  }
}

// A timeout, and the like. It is possible only while its thread waits, and may be so only while some thread
// can go on.
void Reversals::find_by_chance(const Path& path, Index late, Index rival) {
  const PartialOrder& order = path.order();
  if (!path.order().was_pending(late, rival)) {
    // It would wait there as well, but not for a lock that its rival took.
    const Event& event = order.event(rival);
    if (!dependent(event, order.event(late)) || lets_go(event)) add(path, late, rival);
  } else if (path.is_option(rival, path[late].step.option)) {
    add(path, late, rival);
  } else if (is_by_chance(path[rival].step.option.via)) {
    // Nobody could go on there; but with the last step of some thread undone, that one can.
    std::vector<bool> seen;
    for (Index i = rival; i-- > 0;) {
      const ThreadId thread = order.event(i).thread;
      if (seen.size() <= thread) seen.resize(thread + std::size_t{1});
      if (seen[thread]) continue;
      seen[thread] = true;
      if (thread != order.event(late).thread && !order.causes(i, late)) add(path, late, i);
    }
  }
}

}  // namespace thrum
