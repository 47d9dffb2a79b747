// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/reduction/reversals.hpp"

#include "order/reversal.hpp"

namespace thrum {

namespace {

using Index = Path::Index;

// Whether somebody who waited may go on behind it.
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

// Whether the later step's thread had come to it before the earlier step.
bool stood_there(const Path& path, Index late, Index early) {
  const Index previous = path.order().previous(late);
  return previous == PartialOrder::kNone || previous < early;
}

}  // namespace

Step Reversals::as_taken(const Path& path, Index late) {
  return {late < path.size() ? path[late].step.option : Option{path.order().event(late).thread, Via::run}, 0};
}

std::span<const Reversals::Found> Reversals::of_race(const Path& path, Index late, Index rival) {
  found_.clear();
  const Reversal turned = reversal(path.order(), late, rival);
  find(path, late, turned.before, turned.certain);
  if (ends_wait(path.order().event(rival), path.order().event(late))) find_timeout(path, late, rival);
  return found_;
}

std::span<const Reversals::Found> Reversals::of_blocked(const Path& path, Index late) {
  found_.clear();
  const Reversal turned = reversal_of_blocked(path.order(), late);
  find(path, late, turned.before, turned.certain);
  return found_;
}

void Reversals::find(const Path& path, Index late, Index before, bool is_certain) {
  if (before == PartialOrder::kNone) return;
  if (!is_certain) {
    find_unsure(path, late, before);
  } else if (late < path.size() && is_by_chance(path[late].step.option.via)) {
    find_by_chance(path, late, before);
  } else {
    add(path, late, before);
  }
}

// While it waited for what its rival did, its time could have run out.
void Reversals::find_timeout(const Path& path, Index late, Index rival) {
  const Option timeout{path.order().event(late).thread, Via::timeout};
  if (late >= path.size() || path[late].step.option.via != Via::run) return;
  if (stood_there(path, late, rival) && !path.is_option(rival, timeout)) return;
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
    if (stood_there(path, late, i) && path.is_option(i, option)) return add(path, late, i);
    found_.push_back({i, false});
  }
}

// A timeout, and the like. It is possible only while its thread waits, and may be so only while some thread
// can go on.
void Reversals::find_by_chance(const Path& path, Index late, Index rival) {
  const PartialOrder& order = path.order();
  if (!stood_there(path, late, rival)) {
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
