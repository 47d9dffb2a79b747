// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/sync_encoding.hpp"

#include <algorithm>

namespace thrum {

void SyncEncoding::add_event(Node event) {
  const ThreadTrees::Operation& own = nodes_.trees().operation(event);
  const auto semaphore = initial_.tokens.find(own.object);
  const std::uint64_t count = semaphore == initial_.tokens.end() ? 0 : semaphore->second;
  switch (own.operation) {
    case Operation::lock: return add_acquisition(mutex_of(own.object), event);
    case Operation::unlock: return add_release(mutex_of(own.object), event);
    case Operation::semaphore_wait: return add_acquisition(tokens_of(own.object, count), event);
    case Operation::semaphore_post: return add_release(tokens_of(own.object, count), event);
    case Operation::try_lock:
    case Operation::semaphore_try_wait: {
      const bool is_mutex = own.operation == Operation::try_lock;
      Tokens& object = is_mutex ? mutex_of(own.object) : tokens_of(own.object, count);
      return own.way == 0 ? add_acquisition(object, event) : add_failure(object, event, executed(event));
    }
    case Operation::wait_release: add_release(mutex_of(own.operand), event); return add_wait(own, event);
    case Operation::wait_reacquire:
      add_acquisition(mutex_of(own.operand), event);
      return add_reacquisition(own, event);
    case Operation::timeout: return add_timeout(event);
    case Operation::signal:
    case Operation::broadcast: return add_waker(own, event);
    case Operation::thread_join: return add_join(own, event);
    case Operation::atomic_section: return add_section(event);
    case Operation::load:
    case Operation::store:
    case Operation::read_modify_write:
    case Operation::compare_exchange:
    case Operation::fence:
    case Operation::yield:
    case Operation::choose:
    case Operation::point:
    case Operation::process_exit:
    case Operation::thread_create: return;
    default:
      if (not_covered_.empty()) not_covered_ = operation_name(own.operation);
  }
}

// ---- Tokens.

SyncEncoding::Tokens& SyncEncoding::tokens_of(std::uint64_t object, std::uint64_t initial) {
  Tokens& tokens = objects_[object];
  for (; tokens.initial < initial; ++tokens.initial) add_release(tokens, ThreadTrees::kNone);
  return tokens;
}

SyncEncoding::Tokens& SyncEncoding::mutex_of(std::uint64_t object) {
  Tokens& tokens = tokens_of(object, 1);
  tokens.is_mutex = true;
  return tokens;
}

void SyncEncoding::learn_initial_tokens() {
  for (const auto& [object, count] : initial_.tokens) {
    if (objects_.contains(object)) tokens_of(object, count);
  }
}

void SyncEncoding::add_release(Tokens& object, Node node) {
  object.tokens.push_back({node});
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
  if (token.release != ThreadTrees::kNone) {
    nodes_.add({-takes, executed(token.release)});
    nodes_.add({-takes, nodes_.precedes(token.release, taker)});
    synchronize(object, token.release, taker, takes);
  }
  for (const auto& [other, its_literal] : token.takers) {
    if (relation(other, taker) != Relation::exclusive) nodes_.exclude_both(takes, its_literal);
  }
  // Only where all tokens have to be taken does it matter that none takes two.
  if (!object.failures.empty()) {
    for (const Literal other : acquisition.takes) nodes_.exclude_both(takes, other);
  }
  acquisition.takes.push_back(takes);
  nodes_.offer(acquisition.need, takes);
  token.takers.emplace_back(taker, takes);
  for (Failure& failure : object.failures) offer_taken(failure, number, taker, takes);
}

// Who takes a mutex knows what its last holder did, and so all holders before. Who takes from a semaphore
// knows what all did who gave to it before.
void SyncEncoding::synchronize(const Tokens& object, Node release, Node taker, Literal takes) {
  if (object.is_mutex) return nodes_.synchronize(release, taker, takes, nodes_.truth());
  nodes_.synchronize(release, taker, executed(release), nodes_.precedes(release, taker));
}

void SyncEncoding::require_taken(Tokens& object, Failure& failure, std::size_t number) {
  const Token& token = object.tokens[number];
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

// ---- Condition variables.

void SyncEncoding::add_wait(const ThreadTrees::Operation& operation, Node node) {
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
  const ThreadTrees::Operation& waiting = nodes_.trees().operation(release);
  if (waiting.operation != Operation::wait_release) {
    not_covered_ = "timeouts of other waits than on condition variables";
    return;
  }
  Condition& condition = conditions_[waiting.object];
  const auto wait = std::ranges::find(condition.waits, release, &Wait::release);
  wait->timeout = node;
  for (const Match& match : wait->matches) nodes_.exclude_both(match.literal, executed(node));
  for (std::size_t waker = 0; waker < condition.wakers.size(); ++waker)
    offer_left(condition, static_cast<std::size_t>(wait - condition.waits.begin()), waker, node,
               executed(node));
}

void SyncEncoding::add_waker(const ThreadTrees::Operation& operation, Node node) {
  Condition& condition = conditions_[operation.object];
  condition.wakers.push_back({node, operation.operation == Operation::broadcast});
  for (std::size_t wait = 0; wait < condition.waits.size(); ++wait)
    match(condition, wait, condition.wakers.size() - 1);
}

// The waker may wake the waiter.
void SyncEncoding::match(Condition& condition, std::size_t wait_number, std::size_t waker_number) {
  Wait& wait = condition.waits[wait_number];
  Waker& waker = condition.wakers[waker_number];
  waker.needs.resize(std::max(waker.needs.size(), wait_number + 1), kNoNeed);
  if (relation(wait.release, waker.node) != Relation::concurrent) return;
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
  // Where another waiter sleeps, it is enough that this one is woken by a signal.
  for (std::size_t i = 0; i < waker.needs.size() && !waker.wakes_all; ++i) {
    if (waker.needs[i] != kNoNeed) nodes_.offer(waker.needs[i], wakes);
  }
  for (std::size_t i = 0; i < wait.matches.size(); ++i)
    offer_left(condition, wait_number, own, wait.matches[i].waker);
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
    case Operation::semaphore_wait: return add_failure(objects_[own.object], ThreadTrees::kNone, literal);
    case Operation::thread_join: return;  // it would have been done at once
    case Operation::wait_reacquire: {
      const Literal is_held = nodes_.solver().make_literal();
      add_failure(objects_[own.operand], ThreadTrees::kNone, is_held);
      const std::vector<Wait>& waits = conditions_[own.object].waits;
      const auto wait = std::ranges::find(waits, nodes_.trees()[event].parent, &Wait::release);
      if (wait == waits.end()) return nodes_.add({-literal, is_held});
      // It sleeps, unless its time runs out some time; or it was woken.
      const bool sleeps = wait->timeout == ThreadTrees::kNone;
      nodes_.add({-literal, is_held, sleeps ? -wait->is_woken : -nodes_.truth()});
      if (!sleeps) nodes_.add({-literal, wait->is_woken});
      for (const Match& match : wait->matches) nodes_.add({-match.literal, wait->is_woken});
      return;
    }
    default: nodes_.add({-literal});
  }
}

SyncEncoding::Node SyncEncoding::chosen_by(Node signal) const {
  Solver& solver = nodes_.solver();
  const auto found = conditions_.find(nodes_.trees().operation(signal).object);
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
  for (const Node other : sections_) {
    if (relation(other, node) != Relation::concurrent) continue;
    nodes_.synchronize(other, node, executed(other), nodes_.precedes(other, node));
    nodes_.synchronize(node, other, executed(node), nodes_.precedes(node, other));
  }
  sections_.push_back(node);
}

// ---- Joins.

void SyncEncoding::add_join(const ThreadTrees::Operation& operation, Node node) {
  Joins& there = joins_[operation.other];
  const Need need = nodes_.add_need(executed(node));
  there.joins.emplace_back(node, need);
  for (const Node end : there.ends) join(end, node, need);
}

void SyncEncoding::add_end(Node end) {
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
  nodes_.synchronize(end, join, joins, nodes_.truth());
  nodes_.offer(need, joins);
  nodes_.add({-executed(end), -executed(nodes_.trees()[join].parent), executed(join)});
}

}  // namespace thrum
