// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/tree_walk.hpp"

#include <algorithm>
#include <utility>

namespace thrum {

std::vector<TreeWalk::Node> TreeWalk::find(std::uint64_t steps_max) {
  take_cells();
  for (std::uint64_t steps = 0; steps < steps_max;) {
    if (walk(steps)) return steps_;
    ++steps;
  }
  return {};
}

// Where cells are divided, accesses touch others than they did.
void TreeWalk::take_cells() {
  using Kind = ThreadTrees::Kind;
  for (; seen_ < trees_.size(); ++seen_) {
    if (trees_[seen_].kind != Kind::read && trees_[seen_].kind != Kind::write) continue;
    const ThreadTrees::Access& access = trees_.access(seen_);
    if (!cells_.add(access.object, access.size)) pieces_.clear();
  }
}

void TreeWalk::forget() {
  cells_ = Cells();
  seen_ = 0;
  pieces_.clear();
}

TreeWalk::Node TreeWalk::chosen_by(Node signal) const {
  const auto chosen = chosen_.find(signal);
  return chosen == chosen_.end() ? ThreadTrees::kNone : chosen->second;
}

TreeWalk::Thread& TreeWalk::thread(ThreadId number) {
  if (threads_.size() <= number) threads_.resize(number + std::size_t{1});
  return threads_[number];
}

// Whether something new was met.
bool TreeWalk::walk(std::uint64_t& steps) {
  threads_.clear();
  memory_.assign(cells_.size(), std::nullopt);
  tokens_.clear();
  steps_.clear();
  chosen_.clear();
  thread(kMainThread).at = 0;
  Went went = go_on(kMainThread);
  std::vector<Node> ready;
  while (went == Went::on) {
    ready.clear();
    for (ThreadId number = 0; number < threads_.size(); ++number) {
      const Thread& own = threads_[number];
      if (own.at == ThreadTrees::kNone || own.is_over) continue;
      for (Node next = trees_[own.at].first_child; next != ThreadTrees::kNone;
           next = trees_[next].next_sibling) {
        if (trees_[next].kind == ThreadTrees::Kind::event && can_do(number, next)) ready.push_back(next);
      }
    }
    if (ready.empty()) return false;
    const auto unknown = std::ranges::find_if(ready, [&](Node node) { return !trees_[node].is_executed; });
    if (unknown != ready.end()) {
      steps_.push_back(*unknown);
      return true;
    }
    ++steps;
    went = step(ready[random_.below(ready.size())]);
  }
  return went == Went::to_news;
}

TreeWalk::Went TreeWalk::step(Node operation) {
  const ThreadId number = trees_[operation].thread;
  steps_.push_back(operation);
  perform(number, operation);
  thread(number).at = operation;
  const Went went = go_on(number);
  return went == Went::on ? join_all() : went;
}

// What the thread does up to its next operation, and threads that it creates up to their first ones.
TreeWalk::Went TreeWalk::go_on(ThreadId number) {
  using Kind = ThreadTrees::Kind;
  while (true) {
    const Node at = thread(number).at;
    if (trees_[at].kind == Kind::event && trees_.operation(at).operation == Operation::thread_create) {
      const ThreadId child = trees_.operation(at).other;
      Node start = trees_[at].first_child;
      while (start != ThreadTrees::kNone && trees_[start].kind != Kind::start)
        start = trees_[start].next_sibling;
      if (start == ThreadTrees::kNone) return Went::to_the_end;
      thread(child) = {.at = start};
      if (const Went went = go_on(child); went != Went::on) return went;
    }
    const Node next = trees_.next_of(at);
    if (next == ThreadTrees::kNone) return Went::to_news;
    if (trees_.begins_step(next)) return Went::on;
    thread(number).at = next;
    switch (trees_[next].kind) {
      case Kind::read:
        if (const Went went = read(number, next); went != Went::on) return went;
        break;
      case Kind::write: write(next); break;
      case Kind::end: thread(number).is_over = true; return Went::on;
      case Kind::stop: return Went::to_the_end;
      case Kind::wait: return Went::on;
      default: break;
    }
  }
}

// Goes to the outcome of the value.
TreeWalk::Went TreeWalk::read(ThreadId number, Node read) {
  const ThreadTrees::Access& access = trees_.access(read);
  std::uint64_t value = initial_.memory.at(access.object, access.size).value_or(0);
  bool is_known = initial_.memory.at(access.object, access.size).has_value();
  const std::vector<Piece>& pieces = pieces_of(read);
  std::size_t written = 0;
  for (const Piece& piece : pieces) {
    if (!memory_[piece.cell]) continue;
    ++written;
    value = (value & ~(piece.mask << piece.shift)) | *memory_[piece.cell] << piece.shift;
  }
  is_known = is_known || written == pieces.size();
  const Node decision = trees_.next_of(read);
  for (const Node outcome : trees_.decision(decision).outcomes) {
    if (is_known && trees_.value(outcome) == value) {
      thread(number).at = outcome;
      return Went::on;
    }
  }
  return Went::to_news;
}

void TreeWalk::write(Node write) {
  const std::uint64_t value = trees_.access(write).value;
  for (const Piece& piece : pieces_of(write)) memory_[piece.cell] = value >> piece.shift & piece.mask;
}

const std::vector<TreeWalk::Piece>& TreeWalk::pieces_of(Node node) {
  const auto [known, is_new] = pieces_.try_emplace(node);
  if (is_new) {
    const ThreadTrees::Access& access = trees_.access(node);
    for (const Cells::Cell& cell : cells_.of(access.object, access.size)) {
      const bool is_whole = cell.size == access.size || cell.size >= sizeof(std::uint64_t);
      const std::uint64_t mask = is_whole ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * cell.size) - 1;
      known->second.push_back(
          {cell.number, static_cast<std::uint32_t>(8 * (cell.begin - access.object)), mask});
    }
  }
  return known->second;
}

// Threads are joined as soon as they are over.
TreeWalk::Went TreeWalk::join_all() {
  for (ThreadId number = 0; number < threads_.size(); ++number) {
    if (threads_[number].at == ThreadTrees::kNone || threads_[number].is_over) continue;
    const Node next = trees_.next_of(threads_[number].at);
    if (next == ThreadTrees::kNone || trees_[next].kind != ThreadTrees::Kind::event) continue;
    const ThreadTrees::Operation& own = trees_.operation(next);
    if (own.operation != Operation::thread_join || !thread(own.other).is_over) continue;
    if (!trees_[next].is_executed) return Went::to_news;
    thread(number).at = next;
    if (const Went went = go_on(number); went != Went::on) return went;
    number = static_cast<ThreadId>(-1);  // others may wait for this one
  }
  return Went::on;
}

// initial: if nothing else is known.
std::int64_t& TreeWalk::tokens_of(std::uint64_t object, std::int64_t initial) {
  const auto [tokens, is_new] = tokens_.try_emplace(object, initial);
  const auto known = initial_.tokens.find(object);
  if (is_new && known != initial_.tokens.end()) tokens->second = static_cast<std::int64_t>(known->second);
  return tokens->second;
}

bool TreeWalk::can_do(ThreadId number, Node operation) {
  const ThreadTrees::Operation& own = trees_.operation(operation);
  switch (own.operation) {
    case Operation::lock: return lock_of(own.object) > 0;
    case Operation::try_lock: return (lock_of(own.object) > 0) == (own.way == 0);
    case Operation::semaphore_wait: return tokens_of(own.object, 0) > 0;
    case Operation::semaphore_try_wait: return (tokens_of(own.object, 0) > 0) == (own.way == 0);
    case Operation::wait_reacquire: return !thread(number).sleeps && lock_of(own.operand) > 0;
    case Operation::timeout: return thread(number).sleeps;
    case Operation::load:
    case Operation::store:
    case Operation::read_modify_write:
    case Operation::compare_exchange:
    case Operation::fence:
    case Operation::yield:
    case Operation::choose:
    case Operation::point:
    case Operation::atomic_section:
    case Operation::unlock:
    case Operation::wait_release:
    case Operation::signal:
    case Operation::broadcast:
    case Operation::semaphore_post:
    case Operation::process_exit: return true;
    default: return false;
  }
}

void TreeWalk::perform(ThreadId number, Node operation) {
  const ThreadTrees::Operation& own = trees_.operation(operation);
  switch (own.operation) {
    case Operation::lock: --lock_of(own.object); break;
    case Operation::try_lock: lock_of(own.object) -= own.way == 0 ? 1 : 0; break;
    case Operation::unlock: ++lock_of(own.object); break;
    case Operation::semaphore_wait: --tokens_of(own.object, 0); break;
    case Operation::semaphore_try_wait: tokens_of(own.object, 0) -= own.way == 0 ? 1 : 0; break;
    case Operation::semaphore_post: ++tokens_of(own.object, 0); break;
    case Operation::wait_release:
      ++lock_of(own.operand);
      thread(number).sleeps = true;
      break;
    case Operation::wait_reacquire: --lock_of(own.operand); break;
    case Operation::timeout: thread(number).sleeps = false; break;
    case Operation::signal: wake(operation, own.object, false); break;
    case Operation::broadcast: wake(operation, own.object, true); break;
    default: break;
  }
}

void TreeWalk::wake(Node waker, std::uint64_t condition, bool all) {
  std::vector<ThreadId> sleepers;
  for (ThreadId number = 0; number < threads_.size(); ++number) {
    if (threads_[number].sleeps && trees_.operation(threads_[number].at).object == condition)
      sleepers.push_back(number);
  }
  if (sleepers.empty()) return;
  const ThreadId one = sleepers[random_.below(sleepers.size())];
  for (const ThreadId number : sleepers) {
    if (all || number == one) threads_[number].sleeps = false;
  }
  if (!all && sleepers.size() > 1) chosen_[waker] = threads_[one].at;
}

}  // namespace thrum
