// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/first_uses.hpp"

#include <algorithm>

namespace thrum {

namespace {

constexpr const char* kHeldAtFirst = "read-write locks that are held when threads begin";

bool is_shared(Operation operation) {
  return operation == Operation::shared_lock || operation == Operation::try_shared_lock ||
         operation == Operation::shared_unlock;
}

}  // namespace

void FirstUses::refuse(const char* what) {
  if (not_covered_.empty()) not_covered_ = what;
}

void FirstUses::begin_execution() {
  unlock_.reset();
  locks_.clear();
  destroyed_.clear();
  counts_.clear();
  onces_.clear();
  holds_.clear();
  shares_.clear();
}

void FirstUses::learn_tokens(std::uint64_t object, std::uint64_t count) {
  const auto [known, is_new] = initial_.tokens.try_emplace(object, count);
  if (known->second == count) return;
  if (guessed_.erase(object) == 0) refuse("locks or semaphores that do not always begin in the same way");
  known->second = count;
}

// An unlock that the execution ends with may be what is wrong with it, so it tells nothing.
void FirstUses::learn(const Event& event) {
  if (unlock_) learn_lock(*unlock_, unlock_->object);
  unlock_.reset();
  switch (event.operation) {
    case Operation::semaphore_wait:
    case Operation::semaphore_try_wait:
    case Operation::semaphore_post: return learn_semaphore(event);
    case Operation::lock:
    case Operation::try_lock:
    case Operation::shared_lock:
    case Operation::try_shared_lock:
    case Operation::shared_unlock:
    case Operation::lock_queue:
    case Operation::lock_destroy: return learn_lock(event, event.object);
    case Operation::unlock: unlock_ = event; return;
    case Operation::wait_release:
    case Operation::wait_reacquire: return learn_lock(event, event.operand);
    case Operation::once_enter:
    case Operation::once_leave: return learn_once(event);
    case Operation::barrier_wait: return learn_barrier(event);
    case Operation::load: return learn_load(event.object);
    default: return;
  }
}

void FirstUses::learn_load(std::uint64_t object) {
  loaded_.insert(object);
  if (semaphores_.contains(object)) refuse("reads of the value of a semaphore");
}

void FirstUses::learn_semaphore(const Event& event) {
  const bool gives = event.operation == Operation::semaphore_post;
  const bool takes = !gives && event.outcome != Outcome::failed;
  const std::uint64_t before = event.value + (takes ? 1 : 0) - (gives ? 1 : 0);
  semaphores_.insert(event.object);
  if (loaded_.contains(event.object)) refuse("reads of the value of a semaphore");
  const auto [known, is_first] = counts_.try_emplace(event.object, before);
  if (is_first) learn_tokens(event.object, before);
  if (known->second != before) refuse("semaphores that are initialised again");
  known->second = event.value;
}

void FirstUses::learn_lock(const Event& event, std::uint64_t object) {
  const bool fails = event.outcome == Outcome::failed;
  int& holds = holds_[{event.thread, object}];
  if (destroyed_.contains(object)) refuse("locks that are initialised again");
  const bool is_first = locks_.insert(object).second;
  bool is_free = !fails;
  switch (event.operation) {
    case Operation::lock:
    case Operation::try_lock:
      if (event.operation == Operation::lock && fails) refuse("robust mutexes that cannot be used any more");
      if (!fails && holds++ > 0) initial_.recursive.insert(object);
      break;
    case Operation::wait_reacquire: ++holds; break;
    case Operation::unlock:
      if (event.operand != 0) refuse("robust mutexes whose owners end");
      if (holds <= 0 && !is_first) refuse("mutexes that are held several times when threads begin");
      holds = std::max(holds - 1, 0);
      is_free = false;
      break;
    case Operation::wait_release:
      holds = 0;
      is_free = false;
      break;
    case Operation::shared_lock:
    case Operation::try_shared_lock: shares_[{event.thread, object}] += fails ? 0 : 1; break;
    case Operation::shared_unlock:
      if (--shares_[{event.thread, object}] < 0) refuse(kHeldAtFirst);
      break;
    case Operation::lock_queue:
      if (is_first && event.value != 0) refuse(kHeldAtFirst);
      if (event.value == 0) ++holds;
      break;
    case Operation::lock_destroy:
      if (fails) refuse("locks that are in use when they are destroyed");
      destroyed_.insert(object);
      break;
    default: break;
  }
  if (is_first) learn_tokens(object, is_free ? 1 : 0);
  // Whether by a reader or a writer is not known.
  if (is_shared(event.operation)) shared_.insert(object);
  if (shared_.contains(object) && initial_.tokens[object] == 0) refuse(kHeldAtFirst);
}

void FirstUses::learn_once(const Event& event) {
  const bool enters = event.operation == Operation::once_enter;
  const bool finds_over = enters && event.outcome == Outcome::unchanged;
  const OnceState before = !enters ? OnceState::running : finds_over ? OnceState::over : OnceState::fresh;
  const auto [now, is_first] = onces_.try_emplace(event.object, before);
  if (is_first && initial_.onces.try_emplace(event.object, before).first->second != before)
    refuse("a once that does not always begin in the same way");
  if (now->second != before) refuse("a once that is initialised again");
  if (enters) {
    now->second = finds_over ? OnceState::over : OnceState::running;
  } else {
    now->second = event.operand != 0 ? OnceState::over : OnceState::fresh;
  }
}

void FirstUses::learn_barrier(const Event& event) {
  std::uint64_t& arrived = counts_[event.object];
  std::uint64_t& threads = initial_.barriers[event.object];
  if (++arrived != event.value) refuse("barriers that are initialised again");
  const bool is_last = event.operand != 0;
  const bool was_complete = complete_.contains(event.object);
  if (was_complete && is_last != (arrived == threads)) refuse("barriers for changing numbers of threads");
  threads = std::max(threads, is_last ? arrived : arrived + 1);
  if (!is_last) return;
  complete_.insert(event.object);
  arrived = 0;
}

// A lock that nobody has used in the execution is as it was.
void FirstUses::learn(const PendingOperation& pending) {
  switch (pending.operation) {
    case Operation::semaphore_wait:
      semaphores_.insert(pending.object);
      if (counts_.contains(pending.object) || !pending.enabled) return;
      if (initial_.tokens.try_emplace(pending.object, 1).second) guessed_.insert(pending.object);
      return;
    case Operation::lock: {
      const auto holds = holds_.find({pending.thread, pending.object});
      if (holds != holds_.end() && holds->second > 0 && pending.enabled)
        initial_.recursive.insert(pending.object);
      if (locks_.contains(pending.object)) return;
      initial_.tokens.try_emplace(pending.object, pending.enabled ? 1 : 0);
      return;
    }
    default: return;
  }
}

}  // namespace thrum
