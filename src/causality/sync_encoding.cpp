// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/sync_encoding.hpp"

#include <algorithm>

namespace thrum {

namespace {

// A futex wake of so many threads wakes all.
constexpr std::uint64_t kAll = 0x7fffffff;

}  // namespace

void SyncEncoding::add_event(Node event) {
  const ThreadTrees::Operation& own = nodes_.trees().operation(event);
  switch (own.operation) {
    case Operation::lock: leave_queue(own.object, event); return take_lock(own.object, event);
    case Operation::lock_queue: return queue(own, event);
    case Operation::unlock: return release_lock(own.object, event);
    case Operation::shared_lock: return begin_shared(own.object, event);
    case Operation::shared_unlock: return end_shared(own.object, event);
    case Operation::semaphore_wait: return add_acquisition(counted(own.object), event);
    case Operation::semaphore_post: return add_release(counted(own.object), event);
    case Operation::try_lock:
    case Operation::try_shared_lock:
    case Operation::semaphore_try_wait: return add_try(own, event);
    // Nothing is done with it any more.
    case Operation::lock_destroy: return take_lock(own.object, event);
    case Operation::once_enter: return enter_once(own, event);
    case Operation::once_leave: return leave_once(own, event);
    case Operation::wait_release: release_lock(own.operand, event); return add_wait(own, event);
    case Operation::wait_reacquire: take_lock(own.operand, event); return add_reacquisition(own, event);
    case Operation::timeout: return add_timeout(event);
    case Operation::signal:
    case Operation::broadcast:
    case Operation::futex_wake: return add_waker(own, event);
    case Operation::futex_return: return add_reacquisition(own, event);
    case Operation::barrier_wait: return arrive(own, event);
    case Operation::barrier_leave: return leave_barrier(own, event);
    case Operation::thread_join: return add_join(own, event);
    case Operation::atomic_section: return add_section(event);
    case Operation::invariant: return add_check(event);
    case Operation::others_ended: return add_others_ended(event);
    case Operation::futex_wait:
    case Operation::load:
    case Operation::store:
    case Operation::read_modify_write:
    case Operation::compare_exchange:
    case Operation::fence:
    case Operation::yield:
    case Operation::choose:
    case Operation::point:
    case Operation::detach:
    case Operation::process_exit:
    case Operation::thread_create: return;
    default:
      if (not_covered_.empty()) not_covered_ = operation_name(own.operation);
  }
}

// ---- Locks.

SyncEncoding::Tokens& SyncEncoding::lock_of(std::uint64_t object) {
  const auto known = initial_.tokens.find(object);
  objects_[object].passes = Tokens::Passes::of_giver;
  return tokens_of(object, known == initial_.tokens.end() ? 1 : known->second);
}

void SyncEncoding::take_lock(std::uint64_t object, Node node) {
  if (is_inner(object, node)) return;
  add_acquisition(lock_of(object), node);
  sections_.begin(object, LockSections::Kind::exclusive, node);
  Sharing& sharing = sharing_[object];
  note_section(nodes_, node, true, sharing.exclusive_begins, sharing.shared_ends);
}

void SyncEncoding::release_lock(std::uint64_t object, Node node) {
  const bool waits = nodes_.trees().operation(node).operation == Operation::wait_release;
  if (!waits && initial_.recursive.contains(object) && depth_before(object, node) > 1) return;
  add_release(lock_of(object), node);
  sections_.end(object, LockSections::Kind::exclusive, node);
  Sharing& sharing = sharing_[object];
  note_section(nodes_, node, false, sharing.exclusive_ends, sharing.shared_begins);
}

void SyncEncoding::begin_shared(std::uint64_t object, Node node) {
  sections_.begin(object, LockSections::Kind::shared, node);
  Sharing& sharing = sharing_[object];
  note_section(nodes_, node, true, sharing.shared_begins, sharing.exclusive_ends);
}

void SyncEncoding::end_shared(std::uint64_t object, Node node) {
  sections_.end(object, LockSections::Kind::shared, node);
  Sharing& sharing = sharing_[object];
  note_section(nodes_, node, false, sharing.shared_ends, sharing.exclusive_begins);
}

// Who begins a section knows what was done in all sections of the others that have ended before.
void SyncEncoding::note_section(NodeEncoding& nodes, Node node, bool begins, std::vector<Node>& own,
                                const std::vector<Node>& others) {
  own.push_back(node);
  for (const Node other : others) {
    const Node end = begins ? other : node;
    const Node begin = begins ? node : other;
    if (nodes.trees().relation(end, begin) == Relation::concurrent)
      nodes.synchronize(end, begin, nodes.executed(end), nodes.precedes(end, begin));
  }
}

void SyncEncoding::queue(const ThreadTrees::Operation& operation, Node node) {
  if (operation.way == 0) return take_lock(operation.object, node);
  say_taken(operation.object, node, executed(node));
  sections_.begin(operation.object, LockSections::Kind::queued, node);
}

// A writer that has queued has the lock, or waits no longer.
void SyncEncoding::leave_queue(std::uint64_t object, Node node) {
  const Node before = nodes_.trees()[node].parent;
  if (nodes_.trees()[before].kind != ThreadTrees::Kind::event) return;
  if (nodes_.trees().operation(before).operation == Operation::lock_queue)
    sections_.end(object, LockSections::Kind::queued, node);
}

void SyncEncoding::add_try(const ThreadTrees::Operation& operation, Node node) {
  const std::uint64_t object = operation.object;
  if (operation.operation == Operation::semaphore_try_wait) {
    if (operation.way == 0) return add_acquisition(counted(object), node);
    return add_failure(counted(object), node, executed(node));
  }
  if (operation.operation == Operation::try_shared_lock) {
    if (operation.way == 0) return begin_shared(object, node);
    return say_no_reader(object, node, executed(node));
  }
  if (operation.way == 0) return take_lock(object, node);
  if (is_inner(object, node)) return nodes_.add({-executed(node)});
  say_taken(object, node, executed(node));
}

void SyncEncoding::say_taken(std::uint64_t object, Node at, Literal is_so) {
  const Literal is_written = nodes_.solver().make_literal();
  const Need need = nodes_.add_need(is_so);
  nodes_.offer(need, is_written);
  add_failure(lock_of(object), at, is_written);
  sections_.offer_open(object, LockSections::Kind::exclusive, at, need);
}

// That a reader cannot take it; or a thread begin a once, since another one runs it.
void SyncEncoding::say_no_reader(std::uint64_t object, Node at, Literal is_so) {
  sections_.offer_open(object, LockSections::Kind::shared, at, nodes_.add_need(is_so));
}

// How often the thread holds the mutex.
int SyncEncoding::depth_before(std::uint64_t object, Node node) const {
  const ThreadTrees& trees = nodes_.trees();
  int depth = 0;
  for (Node up = trees[node].parent; up != ThreadTrees::kNone; up = trees[up].parent) {
    if (trees[up].kind == ThreadTrees::Kind::start) break;
    if (trees[up].kind != ThreadTrees::Kind::event) continue;
    const ThreadTrees::Operation& own = trees.operation(up);
    if (own.object != object) continue;
    if (own.operation == Operation::unlock) --depth;
    const bool takes = own.operation == Operation::lock || own.operation == Operation::try_lock;
    if (takes && own.way == 0) ++depth;
  }
  return depth;
}

// Whether the thread holds the mutex there, and may lock it again.
bool SyncEncoding::is_inner(std::uint64_t object, Node node) const {
  const bool waits = nodes_.trees().operation(node).operation == Operation::wait_reacquire;
  return !waits && initial_.recursive.contains(object) && depth_before(object, node) > 0;
}

// ---- Onces.

SyncEncoding::Once& SyncEncoding::once_of(std::uint64_t object) {
  const auto [known, is_new] = onces_.try_emplace(object);
  Once& once = known->second;
  if (!is_new) return once;
  once.is_fresh = nodes_.solver().make_literal();
  once.is_over = nodes_.solver().make_literal();
  nodes_.exclude_both(once.is_fresh, once.is_over);
  add_release(objects_[object], ThreadTrees::kNone, once.is_fresh);
  learn_once(object, once);
  return once;
}

void SyncEncoding::learn_once(std::uint64_t object, Once& once) {
  const auto known = initial_.onces.find(object);
  if (once.is_known || known == initial_.onces.end()) return;
  once.is_known = true;
  nodes_.add({known->second == OnceState::fresh ? once.is_fresh : -once.is_fresh});
  nodes_.add({known->second == OnceState::over ? once.is_over : -once.is_over});
}

void SyncEncoding::enter_once(const ThreadTrees::Operation& operation, Node node) {
  Once& once = once_of(operation.object);
  objects_[operation.object].passes = Tokens::Passes::of_giver;
  if (operation.way == 0) {
    sections_.begin(operation.object, LockSections::Kind::exclusive, node);
    return add_acquisition(objects_[operation.object], node);
  }
  const Need need = nodes_.add_need(executed(node));
  once.finds.emplace_back(node, need);
  nodes_.offer(need, once.is_over);
  for (const Node end : once.ends) offer_over(end, node, need);
}

void SyncEncoding::leave_once(const ThreadTrees::Operation& operation, Node node) {
  Once& once = once_of(operation.object);
  sections_.end(operation.object, LockSections::Kind::exclusive, node);
  if (nodes_.trees().effect(node) == 0) return add_release(objects_[operation.object], node);
  once.ends.push_back(node);
  for (const auto& [find, need] : once.finds) offer_over(node, find, need);
}

void SyncEncoding::offer_over(Node end, Node find, Need need) {
  const Literal precedes = nodes_.precedes(end, find);
  if (precedes == -nodes_.truth()) return;
  const Literal is_over = nodes_.solver().make_literal();
  nodes_.add({-is_over, executed(end)});
  nodes_.add({-is_over, precedes});
  nodes_.offer(need, is_over);
  nodes_.synchronize(end, find, executed(end), precedes);
}

// ---- Barriers.

SyncEncoding::Barrier& SyncEncoding::barrier_of(std::uint64_t object) {
  Barrier& barrier = barriers_[object];
  const auto known = initial_.barriers.find(object);
  const std::uint64_t tokens = known == initial_.barriers.end() ? 0 : known->second - 1;
  for (; barrier.tokens < tokens; ++barrier.tokens) {
    add_release(objects_[object], ThreadTrees::kNone);
    for (const Node last : barrier.lasts) add_release(objects_[object], last);
  }
  return barrier;
}

void SyncEncoding::arrive(const ThreadTrees::Operation& operation, Node node) {
  Barrier& barrier = barrier_of(operation.object);
  Tokens& tokens = objects_[operation.object];
  if (operation.way == 0) return add_acquisition(tokens, node);
  add_failure(tokens, node, executed(node));
  for (std::uint64_t i = 0; i < barrier.tokens; ++i) add_release(tokens, node);
  barrier.lasts.push_back(node);
  for (const auto& [leave, need] : barrier.leaves) offer_leave(node, leave, need);
}

void SyncEncoding::leave_barrier(const ThreadTrees::Operation& operation, Node node) {
  Barrier& barrier = barrier_of(operation.object);
  const Need need = nodes_.add_need(executed(node));
  barrier.leaves.emplace_back(node, need);
  for (const Node last : barrier.lasts) offer_leave(last, node, need);
}

// The last one comes behind the arrival of the thread, and before it leaves.
void SyncEncoding::offer_leave(Node last, Node leave, Need need) {
  const Node arrival = nodes_.trees()[leave].parent;
  if (relation(last, leave) != Relation::concurrent) return;
  const Literal leaves = nodes_.solver().make_literal();
  nodes_.add({-leaves, executed(last)});
  nodes_.add({-leaves, nodes_.precedes(arrival, last)});
  nodes_.add({-leaves, nodes_.precedes(last, leave)});
  nodes_.synchronize(last, leave, leaves, nodes_.truth());
  nodes_.offer(need, leaves);
}

void SyncEncoding::say_waits_for_others(const ThreadTrees::Operation& operation, Node leave,
                                        Literal literal) {
  const Node arrival = nodes_.trees()[leave].parent;
  for (const Node last : barrier_of(operation.object).lasts)
    nodes_.add({-literal, -executed(last), nodes_.precedes(last, arrival)});
}

// ---- Tokens.

SyncEncoding::Tokens& SyncEncoding::counted(std::uint64_t object) {
  const auto known = initial_.tokens.find(object);
  objects_[object].passes = Tokens::Passes::of_all;
  return tokens_of(object, known == initial_.tokens.end() ? 0 : known->second);
}

SyncEncoding::Tokens& SyncEncoding::tokens_of(std::uint64_t object, std::uint64_t initial) {
  Tokens& tokens = objects_[object];
  for (; tokens.initial < initial; ++tokens.initial) add_release(tokens, ThreadTrees::kNone);
  return tokens;
}

void SyncEncoding::learn_initial_state() {
  for (const auto& [object, count] : initial_.tokens) {
    if (objects_.contains(object)) tokens_of(object, count);
  }
  for (auto& [object, once] : onces_) learn_once(object, once);
  for (const auto& [object, barrier] : barriers_) barrier_of(object);
}

void SyncEncoding::add_release(Tokens& object, Node node) { add_release(object, node, nodes_.truth()); }

void SyncEncoding::add_release(Tokens& object, Node node, Literal exists) {
  object.tokens.push_back({node, exists});
  const std::size_t token = object.tokens.size() - 1;
  for (Acquisition& acquisition : object.acquisitions) offer_token(object, token, acquisition);
  for (Failure& failure : object.failures) require_taken(object, failure, token);
}

void SyncEncoding::add_acquisition(Tokens& object, Node node) {
  Acquisition& own = object.acquisitions.emplace_back(node, nodes_.add_need(executed(node)));
  for (std::size_t token = 0; token < object.tokens.size(); ++token) offer_token(object, token, own);
}

void SyncEncoding::add_failure(Tokens& object, Node node, Literal is_so) {
  if (object.failures.empty()) {
    for (const Acquisition& acquisition : object.acquisitions) {
      for (std::size_t i = 0; i < acquisition.takes.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) nodes_.exclude_both(acquisition.takes[i], acquisition.takes[j]);
      }
    }
  }
  Failure& own = object.failures.emplace_back(node, is_so);
  for (std::size_t token = 0; token < object.tokens.size(); ++token) require_taken(object, own, token);
}

void SyncEncoding::offer_token(Tokens& object, std::size_t number, Acquisition& acquisition) {
  Token& token = object.tokens[number];
  const Node taker = acquisition.node;
  if (token.release != ThreadTrees::kNone) {
    const Relation relation = this->relation(token.release, taker);
    if (relation == Relation::exclusive || relation == Relation::after) return;
  }
  const Literal takes = nodes_.solver().make_literal();
  nodes_.add({-takes, executed(taker)});
  nodes_.add({-takes, token.exists});
  if (token.release != ThreadTrees::kNone) {
    nodes_.add({-takes, executed(token.release)});
    nodes_.add({-takes, nodes_.precedes(token.release, taker)});
    synchronize(object, token.release, taker, takes);
  }
  for (const auto& [other, its_literal] : token.takers) {
    if (relation(other, taker) != Relation::exclusive) nodes_.exclude_both(takes, its_literal);
  }
  // Only where all tokens have to be taken does it matter that none takes two; and not for mutexes, where the
  // token of the last release could only be taken by who takes the mutex behind it.
  if (!object.failures.empty()) {
    for (const Literal other : acquisition.takes) nodes_.exclude_both(takes, other);
  }
  acquisition.takes.push_back(takes);
  nodes_.offer(acquisition.need, takes);
  token.takers.emplace_back(taker, takes);
  for (Failure& failure : object.failures) offer_taken(failure, number, taker, takes);
}

// Who takes a lock knows what its last holder did, and so all holders before. Who takes from a semaphore
// knows what all did who gave to it before. To destroy a lock is a plain write, and orders nothing.
void SyncEncoding::synchronize(const Tokens& object, Node release, Node taker, Literal takes) {
  using Passes = Tokens::Passes;
  if (object.passes == Passes::nothing) return;
  if (nodes_.trees().operation(taker).operation == Operation::lock_destroy) return;
  if (object.passes == Passes::of_giver) return nodes_.synchronize(release, taker, takes, nodes_.truth());
  nodes_.synchronize(release, taker, executed(release), nodes_.precedes(release, taker));
}

void SyncEncoding::require_taken(Tokens& object, Failure& failure, std::size_t number) {
  const Token& token = object.tokens[number];
  if (token.release != ThreadTrees::kNone && token.release == failure.node) return;
  Literal comes_before = failure.is_so;
  failure.needs.resize(number + 1, kNoNeed);
  if (token.release != ThreadTrees::kNone) {
    Literal is_behind = -nodes_.truth();
    if (failure.node != ThreadTrees::kNone) {
      const Relation relation = this->relation(token.release, failure.node);
      if (relation == Relation::exclusive || relation == Relation::after) return;
      order(token.release, failure.node);
      is_behind = -nodes_.precedes(token.release, failure.node);
    }
    comes_before = nodes_.solver().make_literal();
    nodes_.add({-failure.is_so, -executed(token.release), is_behind, comes_before});
  }
  failure.needs[number] = nodes_.add_need(comes_before);
  for (const auto& [taker, takes] : token.takers) offer_taken(failure, number, taker, takes);
}

void SyncEncoding::offer_taken(Failure& failure, std::size_t token, Node taker, Literal takes) {
  if (failure.needs.size() <= token || failure.needs[token] == kNoNeed) return;
  if (failure.node == ThreadTrees::kNone) return nodes_.offer(failure.needs[token], takes);
  const Relation relation = this->relation(taker, failure.node);
  if (relation == Relation::exclusive || relation == Relation::after) return;
  const Literal took_before = nodes_.solver().make_literal();
  nodes_.add({-took_before, takes});
  nodes_.add({-took_before, nodes_.precedes(taker, failure.node)});
  nodes_.offer(failure.needs[token], took_before);
}

// If both are executed, one comes before the other. REQUIRES: they are not exclusive
void SyncEncoding::order(Node a, Node b) {
  nodes_.add({-executed(a), -executed(b), nodes_.precedes(a, b), nodes_.precedes(b, a)});
}

// ---- Condition variables, and futexes.

void SyncEncoding::add_wait(const ThreadTrees::Operation& operation, Node node) {
  add_sleep(operation, node);
}

// From that node on. Of a futex wait it is the value that it finds.
void SyncEncoding::add_sleep(const ThreadTrees::Operation& operation, Node node) {
  Condition& condition = conditions_[operation.object];
  Wait& own = condition.waits.emplace_back(node, nodes_.solver().make_literal());
  own.need = nodes_.add_need(own.is_woken);
  for (std::size_t waker = 0; waker < condition.wakers.size(); ++waker)
    match(condition, condition.waits.size() - 1, waker);
}

// Behind its release, or behind the end of its time.
void SyncEncoding::add_reacquisition(const ThreadTrees::Operation& operation, Node node) {
  Condition& condition = conditions_[operation.object];
  const Node before = nodes_.trees()[node].parent;
  const bool is_futex = operation.operation == Operation::futex_return;
  if (is_futex && std::ranges::find(condition.waits, before, &Wait::release) == condition.waits.end())
    add_sleep(operation, before);
  for (Wait& wait : condition.waits) {
    if (wait.timeout == before) return;
    if (wait.release != before) continue;
    wait.ends.push_back(node);
    nodes_.add({-executed(node), wait.is_woken});
    for (const Match& match : wait.matches)
      nodes_.add(
          {-match.literal, -executed(node), nodes_.precedes(condition.wakers[match.waker].node, node)});
    return;
  }
  not_covered_ = "waits that end in another way";
}

void SyncEncoding::add_timeout(Node node) {
  const Node release = nodes_.trees()[node].parent;
  const ThreadTrees::Operation& own = nodes_.trees().operation(node);
  if (own.operand != 0) return add_timeout_of_lock(own, node);
  const auto sleeps_there = [&](const auto& one) {
    return std::ranges::find(one.second.waits, release, &Wait::release) != one.second.waits.end();
  };
  const auto found = std::ranges::find_if(conditions_, sleeps_there);
  if (found == conditions_.end()) {
    not_covered_ = "timeouts of unknown waits";
    return;
  }
  Condition& condition = found->second;
  const auto wait = std::ranges::find(condition.waits, release, &Wait::release);
  wait->timeout = node;
  for (const Match& match : wait->matches) nodes_.exclude_both(match.literal, executed(node));
  for (std::size_t waker = 0; waker < condition.wakers.size(); ++waker)
    offer_left(condition, static_cast<std::size_t>(wait - condition.waits.begin()), waker, node,
               executed(node));
}

void SyncEncoding::add_timeout_of_lock(const ThreadTrees::Operation& operation, Node node) {
  switch (static_cast<Operation>(operation.operand)) {
    case Operation::lock:
      leave_queue(operation.object, node);
      return say_taken(operation.object, node, executed(node));
    case Operation::shared_lock: return say_no_reader(operation.object, node, executed(node));
    case Operation::semaphore_wait: return add_failure(counted(operation.object), node, executed(node));
    default: not_covered_ = "timeouts of a sleep or a join";
  }
}

void SyncEncoding::add_waker(const ThreadTrees::Operation& operation, Node node) {
  Condition& condition = conditions_[operation.object];
  const bool is_futex = operation.operation == Operation::futex_wake;
  const std::uint64_t most = is_futex ? nodes_.trees().effect(node) : 1;
  if (most != 1 && most < kAll) {
    not_covered_ = "futex wakes of a number of threads";
    return;
  }
  Waker& own = condition.wakers.emplace_back();
  own.node = node;
  own.wakes_all = operation.operation == Operation::broadcast || most != 1;
  own.wakes_none = is_futex && operation.way == 0;
  if (is_futex && operation.way != 0) own.some = nodes_.add_need(executed(node));
  for (std::size_t wait = 0; wait < condition.waits.size(); ++wait)
    match(condition, wait, condition.wakers.size() - 1);
}

// The waker may wake the waiter.
void SyncEncoding::match(Condition& condition, std::size_t wait_number, std::size_t waker_number) {
  Wait& wait = condition.waits[wait_number];
  Waker& waker = condition.wakers[waker_number];
  waker.needs.resize(std::max(waker.needs.size(), wait_number + 1), kNoNeed);
  if (relation(wait.release, waker.node) != Relation::concurrent) return;
  if (waker.wakes_none) return forbid_lost(condition, wait_number, waker_number);
  const Literal wakes = nodes_.solver().make_literal();
  nodes_.add({-wakes, executed(wait.release)});
  nodes_.add({-wakes, executed(waker.node)});
  nodes_.add({-wakes, nodes_.precedes(wait.release, waker.node)});
  for (const Node end : wait.ends) nodes_.add({-wakes, -executed(end), nodes_.precedes(waker.node, end)});
  for (const Match& other : wait.matches) nodes_.exclude_both(wakes, other.literal);
  if (wait.timeout != ThreadTrees::kNone) nodes_.exclude_both(wakes, executed(wait.timeout));
  const Match own{waker_number, wakes};
  for (std::size_t i = 0; i < condition.waits.size() && !waker.wakes_all; ++i) {
    if (i == wait_number) continue;
    for (const Match& other : condition.waits[i].matches) {
      if (other.waker == waker_number) nodes_.exclude_both(wakes, other.literal);
    }
  }
  nodes_.offer(wait.need, wakes);
  if (waker.some != kNoNeed) nodes_.offer(waker.some, wakes);
  // Where another waiter sleeps, it is enough that this one is woken by a signal.
  for (std::size_t i = 0; i < waker.needs.size() && !waker.wakes_all; ++i) {
    if (waker.needs[i] != kNoNeed) nodes_.offer(waker.needs[i], wakes);
  }
  for (std::size_t other = 0; other < condition.wakers.size(); ++other)
    offer_left(condition, wait_number, own, other);
  wait.matches.push_back(own);
  forbid_lost(condition, wait_number, waker_number);
}

// If the waiter sleeps then, the waker wakes somebody; a broadcast, that one.
void SyncEncoding::forbid_lost(Condition& condition, std::size_t wait_number, std::size_t waker_number) {
  Wait& wait = condition.waits[wait_number];
  Waker& waker = condition.wakers[waker_number];
  order(wait.release, waker.node);
  const Literal came_before = nodes_.solver().make_literal();
  nodes_.add({-executed(wait.release), -executed(waker.node), -nodes_.precedes(wait.release, waker.node),
              came_before});
  waker.needs[wait_number] = nodes_.add_need(came_before);
  for (std::size_t i = 0; i < condition.waits.size(); ++i) {
    if (waker.wakes_all && i != wait_number) continue;
    for (const Match& match : condition.waits[i].matches) {
      if (match.waker == waker_number) nodes_.offer(waker.needs[wait_number], match.literal);
    }
  }
  for (const Match& match : wait.matches) offer_left(condition, wait_number, match, waker_number);
  if (wait.timeout != ThreadTrees::kNone)
    offer_left(condition, wait_number, waker_number, wait.timeout, executed(wait.timeout));
}

// The waiter was woken before, by the match.
void SyncEncoding::offer_left(Condition& condition, std::size_t wait, const Match& match, std::size_t waker) {
  if (match.waker != waker)
    offer_left(condition, wait, waker, condition.wakers[match.waker].node, match.literal);
}

// When the waker comes, the waiter sleeps no more, by what another node does.
void SyncEncoding::offer_left(Condition& condition, std::size_t wait, std::size_t waker, Node by,
                              Literal is_so) {
  const Waker& own = condition.wakers[waker];
  if (own.needs.size() <= wait || own.needs[wait] == kNoNeed) return;
  const Literal left = nodes_.solver().make_literal();
  nodes_.add({-left, is_so});
  nodes_.add({-left, nodes_.precedes(by, own.node)});
  nodes_.offer(own.needs[wait], left);
}

// ---- The end of an execution.

void SyncEncoding::say_disabled(Literal literal, Node event) {
  const ThreadTrees::Operation& own = nodes_.trees().operation(event);
  switch (own.operation) {
    case Operation::lock:
      if (is_inner(own.object, event)) return nodes_.add({-literal});
      return say_taken(own.object, ThreadTrees::kNone, literal);
    case Operation::shared_lock:
    case Operation::once_enter: return say_no_reader(own.object, ThreadTrees::kNone, literal);
    case Operation::semaphore_wait: return add_failure(counted(own.object), ThreadTrees::kNone, literal);
    case Operation::thread_join:
    case Operation::others_ended: return;  // it would have been done at once
    case Operation::wait_reacquire: {
      const Literal is_held = nodes_.solver().make_literal();
      say_taken(own.operand, ThreadTrees::kNone, is_held);
      return say_asleep(conditions_[own.object], nodes_.trees()[event].parent, literal, is_held);
    }
    case Operation::futex_return:
      return say_asleep(conditions_[own.object], nodes_.trees()[event].parent, literal, -nodes_.truth());
    case Operation::barrier_leave: return say_waits_for_others(own, event, literal);
    default: nodes_.add({-literal});
  }
}

// It sleeps there, unless its time runs out some time; or it was woken, and something else keeps it.
void SyncEncoding::say_asleep(Condition& condition, Node release, Literal literal, Literal or_else) {
  const auto wait = std::ranges::find(condition.waits, release, &Wait::release);
  if (wait == condition.waits.end()) return nodes_.add({-literal, or_else});
  const bool sleeps = wait->timeout == ThreadTrees::kNone;
  nodes_.add({-literal, or_else, sleeps ? -wait->is_woken : -nodes_.truth()});
  if (!sleeps) nodes_.add({-literal, wait->is_woken});
  for (const Match& match : wait->matches) nodes_.add({-match.literal, wait->is_woken});
}

SyncEncoding::Node SyncEncoding::chosen_by(Node signal) const {
  Solver& solver = nodes_.solver();
  const auto found = conditions_.find(nodes_.trees().operation(signal).object);
  if (found == conditions_.end()) return ThreadTrees::kNone;
  const Condition& condition = found->second;
  const auto place = [&](Node node) { return solver.place(nodes_.step(node)); };
  Node chosen = ThreadTrees::kNone;
  int asleep = 0;
  for (const Wait& wait : condition.waits) {
    if (!solver.is_true(executed(wait.release)) || place(wait.release) >= place(signal)) continue;
    bool sleeps = true;
    for (const Match& match : wait.matches) {
      if (!solver.is_true(match.literal)) continue;
      const Node waker = condition.wakers[match.waker].node;
      if (waker == signal) chosen = wait.release;
      if (waker != signal && place(waker) < place(signal)) sleeps = false;
    }
    if (wait.timeout != ThreadTrees::kNone && solver.is_true(executed(wait.timeout)))
      sleeps = sleeps && place(wait.timeout) >= place(signal);
    asleep += sleeps ? 1 : 0;
  }
  return asleep > 1 ? chosen : ThreadTrees::kNone;
}

// ---- Atomic sections.

// Each knows what was done in and before those that came before.
void SyncEncoding::add_section(Node node) {
  for (const Node other : atomic_sections_) {
    if (relation(other, node) != Relation::concurrent) continue;
    nodes_.synchronize(other, node, executed(other), nodes_.precedes(other, node));
    nodes_.synchronize(node, other, executed(node), nodes_.precedes(node, other));
  }
  atomic_sections_.push_back(node);
}

// ---- Checks of invariants.

// A check sees the memory between two steps. What comes behind a join is done with the step that the join
// waited for, so no check lies between.
void SyncEncoding::add_check(Node node) {
  for (const auto& [thread, there] : joins_) {
    for (const Joined& joined : there.joined) keep_together(joined, node);
  }
  checks_.push_back(node);
}

void SyncEncoding::keep_together(const Joined& joined, Node check) {
  nodes_.add({-joined.literal, -executed(check), nodes_.precedes(check, joined.end),
              nodes_.precedes(check, nodes_.trees()[joined.join].parent),
              nodes_.precedes(joined.join, check)});
}

bool SyncEncoding::is_check(Node node) const {
  const Node step = nodes_.trees()[node].step;
  return nodes_.trees()[step].kind == ThreadTrees::Kind::event &&
         nodes_.trees().operation(step).operation == Operation::invariant;
}

// ---- Joins.

void SyncEncoding::add_join(const ThreadTrees::Operation& operation, Node node) {
  if (operation.other == kMainThread) not_covered_ = "joins of main";
  Joins& there = joins_[operation.other];
  const Need need = nodes_.add_need(executed(node));
  there.joins.emplace_back(node, need);
  for (const Node end : there.ends) join(end, node, need);
}

void SyncEncoding::add_start(Node start) {
  if (nodes_.trees()[start].thread == kMainThread) return;
  starts_.push_back(start);
  for (const Node node : others_ended_) need_end(start, node);
}

void SyncEncoding::add_others_ended(Node node) {
  others_ended_.push_back(node);
  for (const Node start : starts_) need_end(start, node);
}

// If there is the thread, it has ended before.
void SyncEncoding::need_end(Node start, Node node) {
  if (relation(start, node) == Relation::exclusive || relation(start, node) == Relation::after) return;
  const Literal both = nodes_.solver().make_literal();
  nodes_.add({-executed(start), -executed(node), both});
  ends_.push_back({start, node, nodes_.add_need(both)});
  for (const auto& [thread, there] : joins_) {
    for (const Node end : there.ends) offer_end(ends_.back(), end);
  }
}

void SyncEncoding::offer_end(const End& own, Node end) {
  if (!nodes_.trees().is_before(own.start, end)) return;
  if (nodes_.trees()[end].thread != nodes_.trees()[own.start].thread) return;
  const Literal precedes = nodes_.precedes(end, own.others_ended);
  if (precedes == -nodes_.truth()) return;
  const Literal ends = nodes_.solver().make_literal();
  nodes_.add({-ends, executed(end)});
  nodes_.add({-ends, precedes});
  nodes_.offer(own.need, ends);
}

void SyncEncoding::add_end(Node end) {
  for (const End& own : ends_) offer_end(own, end);
  Joins& there = joins_[nodes_.trees()[end].thread];
  there.ends.push_back(end);
  for (const auto& [node, need] : there.joins) join(end, node, need);
}

// Nobody chooses when a thread is joined: it is as soon as it has ended.
void SyncEncoding::join(Node end, Node join, Need need) {
  const Relation relation = this->relation(end, join);
  if (relation == Relation::exclusive) return;
  const Literal joins = nodes_.solver().make_literal();
  nodes_.add({-joins, executed(end)});
  nodes_.add({-joins, nodes_.precedes(end, join)});
  // What checks have read orders nothing.
  if (!is_check(end)) nodes_.synchronize(end, join, joins, nodes_.truth());
  nodes_.offer(need, joins);
  Joined& joined = joins_[nodes_.trees()[end].thread].joined.emplace_back(end, join, joins);
  for (const Node check : checks_) keep_together(joined, check);
  nodes_.add({-executed(end), -executed(nodes_.trees()[join].parent), executed(join)});
}

}  // namespace thrum
