// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/tree_machine.hpp"

#include <algorithm>
#include <bit>
#include <optional>

namespace thrum {

namespace {

// A futex wake of so many threads wakes all of them.
constexpr std::uint64_t kAllWaiters = 0x7fffffff;

}  // namespace

// ---- What is known before anything is done.

void TreeMachine::forget() {
  cells_ = Cells();
  with_cells_ = 0;
  changes_ = 0;
  threads_ = 0;
  ranges_.clear();
  pieces_.clear();
  objects_.clear();
  numbers_.clear();
  uses_.clear();
  futex_wakes_.clear();
  not_covered_.clear();
}

void TreeMachine::extend() {
  const std::uint64_t changes = trees_.changes() + initial_.size();
  if (changes == changes_) return;
  changes_ = changes;
  take_cells();
  take_uses();
  make_first();
}

// Where cells are divided, accesses touch others than they did.
void TreeMachine::take_cells() {
  using Kind = ThreadTrees::Kind;
  for (; with_cells_ < trees_.size(); ++with_cells_) {
    threads_ = std::max<std::size_t>(threads_, trees_[with_cells_].thread + std::size_t{1});
    if (trees_[with_cells_].kind != Kind::read && trees_[with_cells_].kind != Kind::write) continue;
    const ThreadTrees::Access& access = trees_.access(with_cells_);
    if (cells_.add(access.object, access.size)) continue;
    ranges_.clear();
    pieces_.clear();
  }
  for (auto node = static_cast<Node>(ranges_.size()); node < trees_.size(); ++node) add_pieces(node);
}

void TreeMachine::add_pieces(Node node) {
  using Kind = ThreadTrees::Kind;
  const auto begin = static_cast<std::uint32_t>(pieces_.size());
  if (trees_[node].kind == Kind::read || trees_[node].kind == Kind::write) {
    const ThreadTrees::Access& access = trees_.access(node);
    for (const Cells::Cell& cell : cells_.of(access.object, access.size)) {
      const bool is_whole = cell.size >= sizeof(std::uint64_t);
      const std::uint64_t mask = is_whole ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * cell.size) - 1;
      pieces_.push_back({cell.number, static_cast<std::uint32_t>(8 * (cell.begin - access.object)), mask});
    }
  }
  ranges_.emplace_back(begin, static_cast<std::uint32_t>(pieces_.size()));
}

std::uint32_t TreeMachine::number_of(std::uint64_t address, Use use) {
  const auto [known, is_new] = numbers_.try_emplace(address, static_cast<std::uint32_t>(objects_.size()));
  if (is_new) objects_.push_back({address});
  if (use != Use::other) objects_[known->second].use = use;
  return known->second;
}

void TreeMachine::take_uses() {
  const auto first = static_cast<Node>(uses_.size());
  uses_.resize(trees_.size());
  for (Node node = first; node < trees_.size(); ++node) {
    if (trees_[node].kind != ThreadTrees::Kind::event) continue;
    const ThreadTrees::Operation& own = trees_.operation(node);
    Uses& uses = uses_[node];
    switch (own.operation) {
      case Operation::lock_destroy:
      case Operation::lock:
      case Operation::try_lock:
      case Operation::unlock:
      case Operation::lock_queue:
      case Operation::shared_lock:
      case Operation::try_shared_lock:
      case Operation::shared_unlock: uses.object = number_of(own.object, Use::lock); break;
      case Operation::semaphore_wait:
      case Operation::semaphore_try_wait:
      case Operation::semaphore_post: uses.object = number_of(own.object, Use::semaphore); break;
      case Operation::once_enter:
      case Operation::once_leave: uses.object = number_of(own.object, Use::once); break;
      case Operation::barrier_wait:
      case Operation::barrier_leave: uses.object = number_of(own.object, Use::barrier); break;
      case Operation::wait_release:
      case Operation::wait_reacquire:
        uses.object = number_of(own.object, Use::other);
        uses.mutex = number_of(own.operand, Use::lock);
        break;
      case Operation::signal:
      case Operation::broadcast:
      case Operation::futex_wake:
      case Operation::futex_return: uses.object = number_of(own.object, Use::other); break;
      case Operation::timeout: take_timeout(node); break;
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
      case Operation::atomic_section:
      case Operation::process_exit:
      case Operation::others_ended:
      case Operation::thread_join:
      case Operation::thread_create: break;
      default:
        if (not_covered_.empty()) not_covered_ = operation_name(own.operation);
    }
    if (own.operation == Operation::lock_destroy) objects_[uses.object].is_destroyed = true;
    if (own.operation == Operation::futex_wake) futex_wakes_.push_back(node);
    if (own.operation == Operation::thread_join && own.other == kMainThread) not_covered_ = "joins of main";
  }
}

void TreeMachine::take_timeout(Node node) {
  const ThreadTrees::Operation& own = trees_.operation(node);
  if (own.operand == 0) return;
  uses_[node].object = number_of(own.object, Use::other);
  const auto waits = static_cast<Operation>(own.operand);
  const bool is_known =
      waits == Operation::lock || waits == Operation::shared_lock || waits == Operation::semaphore_wait;
  if (!is_known && not_covered_.empty()) not_covered_ = "timeouts of a sleep or a join";
}

// How often the thread holds the mutex.
int TreeMachine::depth_before(std::uint64_t object, Node node) const {
  int depth = 0;
  for (Node up = trees_[node].parent; trees_[up].kind != ThreadTrees::Kind::start; up = trees_[up].parent) {
    if (trees_[up].kind != ThreadTrees::Kind::event) continue;
    const ThreadTrees::Operation& own = trees_.operation(up);
    if (own.object != object) continue;
    const bool takes = own.operation == Operation::lock || own.operation == Operation::try_lock;
    if (takes && own.way == 0) ++depth;
    if (own.operation == Operation::unlock) --depth;
  }
  return depth;
}

bool TreeMachine::is_inner(Node event) const {
  const ThreadTrees::Operation& own = trees_.operation(event);
  if (!initial_.recursive.contains(own.object)) return false;
  switch (own.operation) {
    case Operation::lock:
    case Operation::try_lock: return depth_before(own.object, event) > 0;
    case Operation::unlock: return depth_before(own.object, event) > 1;
    default: return false;
  }
}

TreeMachine::Content TreeMachine::first_content(const Object& object) const {
  Content content;
  switch (object.use) {
    case Use::lock:
    case Use::semaphore: {
      const auto known = initial_.tokens.find(object.address);
      content.count = object.use == Use::lock ? 1 : 0;
      if (known != initial_.tokens.end()) content.count = static_cast<std::int32_t>(known->second);
      break;
    }
    case Use::once: {
      const auto known = initial_.onces.find(object.address);
      content.count = known == initial_.onces.end() ? kUnknownOnce : static_cast<std::int32_t>(known->second);
      break;
    }
    default: break;
  }
  return content;
}

void TreeMachine::make_first() {
  for (const Node wake : futex_wakes_) {
    if (trees_[wake].is_executed && trees_.effect(wake) != 1 && !wakes_all(wake))
      not_covered_ = "futex wakes of a number of threads";
  }
  // What is recursive may have become known.
  for (Node node = 0; node < trees_.size() && !initial_.recursive.empty(); ++node) {
    if (trees_[node].kind == ThreadTrees::Kind::event) uses_[node].is_inner = is_inner(node);
  }
  first_.assign(contents() + objects_.size(), 0);
  for (ThreadId thread = 0; thread < threads_; ++thread) move(first_, thread, ThreadTrees::kNone);
  for (const auto& [begin, cell] : cells_.all()) {
    const std::optional<std::uint64_t> value = initial_.memory.at(cell.begin, cell.size);
    if (!value) continue;
    first_[memory() + cell.number] = *value;
    know(first_, cell.number);
  }
  for (std::uint32_t object = 0; object < objects_.size(); ++object)
    set_content(first_, object, first_content(objects_[object]));
}

TreeMachine::Content TreeMachine::content(const State& state, std::uint32_t object) const {
  return std::bit_cast<Content>(state[contents() + object]);
}

void TreeMachine::set_content(State& state, std::uint32_t object, Content content) const {
  state[contents() + object] = std::bit_cast<std::uint64_t>(content);
}

// ---- Steps.

TreeMachine::Went TreeMachine::start(State& state) {
  state = first_;
  may_join_ = false;
  path_.clear();
  move_on(state, kMainThread, 0);
  const Went went = go_on(state, kMainThread);
  return went == Went::on && may_join_ ? join_all(state) : went;
}

TreeMachine::Went TreeMachine::step(State& state, Node operation, ThreadId woken) {
  const ThreadId thread = trees_[operation].thread;
  may_join_ = false;
  path_.clear();
  perform(state, operation, woken);
  move_on(state, thread, operation);
  const Went went = go_on(state, thread);
  return went == Went::on && may_join_ ? join_all(state) : went;
}

void TreeMachine::move_on(State& state, ThreadId thread, Node to) {
  move(state, thread, to);
  path_.push_back(to);
}

// What the thread does up to its next operation, and threads that it creates up to their first ones.
TreeMachine::Went TreeMachine::go_on(State& state, ThreadId thread) {
  using Kind = ThreadTrees::Kind;
  while (true) {
    const Node at = this->at(state, thread);
    if (trees_[at].kind == Kind::event && trees_.operation(at).operation == Operation::thread_create) {
      const ThreadId child = trees_.operation(at).other;
      Node start = trees_[at].first_child;
      while (start != ThreadTrees::kNone && trees_[start].kind != Kind::start)
        start = trees_[start].next_sibling;
      if (start == ThreadTrees::kNone) return Went::to_the_end;
      move_on(state, child, start);
      if (const Went went = go_on(state, child); went != Went::on) return went;
    }
    const Node next = trees_.next_of(at);
    if (next == ThreadTrees::kNone) {
      news_ = at;
      return Went::to_news;
    }
    if (trees_.begins_step(next)) {
      fall_asleep(state, thread, next);
      may_join_ = may_join_ || !is_visible(trees_.operation(next).operation);
      return Went::on;
    }
    move_on(state, thread, next);
    switch (trees_[next].kind) {
      case Kind::read:
        if (const Went went = read(state, thread, next); went != Went::on) return went;
        break;
      case Kind::write: write(state, next); break;
      case Kind::end:
        state[thread] |= kOver;
        may_join_ = true;
        return Went::on;
      case Kind::stop: return Went::to_the_end;
      case Kind::wait: return Went::on;
      default: break;
    }
  }
}

// A futex wait sleeps if it has found what it expects. Then it comes to its return.
void TreeMachine::fall_asleep(State& state, ThreadId thread, Node next) const {
  for (; next != ThreadTrees::kNone; next = trees_[next].next_sibling) {
    if (trees_[next].kind == ThreadTrees::Kind::event &&
        trees_.operation(next).operation == Operation::futex_return)
      sleep(state, thread, uses_[next].object);
  }
}

// Goes to the outcome of the value.
TreeMachine::Went TreeMachine::read(State& state, ThreadId thread, Node read) {
  std::uint64_t value = 0;
  bool all_known = true;
  for (const Piece& piece : pieces_of(read)) {
    all_known = all_known && is_known(state, piece.cell);
    value |= state[memory() + piece.cell] << piece.shift;
  }
  const Node decision = trees_.next_of(read);
  for (const Node outcome : trees_.decision(decision).outcomes) {
    if (!all_known || trees_.value(outcome) != value) continue;
    move_on(state, thread, outcome);
    return Went::on;
  }
  news_ = decision;
  return Went::to_news;
}

bool TreeMachine::gives(const State& state, Node outcome) const {
  std::uint64_t value = 0;
  for (const Piece& piece : pieces_of(trees_[trees_[outcome].parent].parent))
    value |= state[memory() + piece.cell] << piece.shift;
  return value == trees_.value(outcome);
}

void TreeMachine::write(State& state, Node write) const {
  const std::uint64_t value = trees_.access(write).value;
  for (const Piece& piece : pieces_of(write)) {
    state[memory() + piece.cell] = value >> piece.shift & piece.mask;
    know(state, piece.cell);
  }
}

// Joins of threads that are over, and what main does when it has left and all others are.
TreeMachine::Went TreeMachine::join_all(State& state) {
  const auto can_join = [&](Node next) {
    const ThreadTrees::Operation& own = trees_.operation(next);
    if (own.operation == Operation::thread_join) return is_over(state, own.other);
    if (own.operation != Operation::others_ended) return false;
    for (ThreadId thread = 0; thread < threads_; ++thread) {
      const bool lives = at(state, thread) != ThreadTrees::kNone && !is_over(state, thread);
      if (lives && thread != trees_[next].thread) return false;
    }
    return true;
  };
  for (ThreadId thread = 0; thread < threads_; ++thread) {
    const Node at = this->at(state, thread);
    if (at == ThreadTrees::kNone || is_over(state, thread)) continue;
    const Node next = trees_.next_of(at);
    if (next == ThreadTrees::kNone || trees_[next].kind != ThreadTrees::Kind::event || !can_join(next))
      continue;
    if (!trees_[next].is_executed) {
      news_ = next;
      return Went::to_news;
    }
    move_on(state, thread, next);
    if (const Went went = go_on(state, thread); went != Went::on) return went;
    thread = static_cast<ThreadId>(-1);  // others may wait for this one
  }
  return Went::on;
}

// ---- When operations can be done, as sync_encoding.hpp has it.

bool TreeMachine::can_lock(const State& state, std::uint32_t object) const {
  const Content own = content(state, object);
  return own.count > 0 && own.readers == 0;
}

bool TreeMachine::can_share(const State& state, std::uint32_t object) const {
  const Content own = content(state, object);
  return own.count > 0 && own.queued == 0;
}

bool TreeMachine::can_time_out(const State& state, Node timeout) const {
  const ThreadTrees::Operation& own = trees_.operation(timeout);
  switch (static_cast<Operation>(own.operand)) {
    case Operation::lock: return !can_lock(state, uses_[timeout].object);
    case Operation::shared_lock: return !can_share(state, uses_[timeout].object);
    case Operation::semaphore_wait: return content(state, uses_[timeout].object).count == 0;
    default: return sleeps(state, trees_[timeout].thread);
  }
}

// Who is the last one finds all others there.
bool TreeMachine::can_arrive(const State& state, Node arrival) const {
  const auto known = initial_.barriers.find(trees_.operation(arrival).object);
  const std::uint64_t others = known == initial_.barriers.end() ? 0 : known->second - 1;
  const bool is_last = static_cast<std::uint64_t>(content(state, uses_[arrival].object).count) >= others;
  return is_last == (trees_.operation(arrival).way == 1);
}

bool TreeMachine::can_enter(const State& state, Node enter) const {
  const std::int32_t once = content(state, uses_[enter].object).count;
  if (once == kUnknownOnce) return true;
  return once ==
         static_cast<std::int32_t>(trees_.operation(enter).way == 0 ? OnceState::fresh : OnceState::over);
}

bool TreeMachine::can_do(const State& state, Node operation) const {
  const ThreadTrees::Operation& own = trees_.operation(operation);
  const Uses& uses = uses_[operation];
  const bool succeeds = own.way == 0;
  switch (own.operation) {
    case Operation::lock: return uses.is_inner || can_lock(state, uses.object);
    case Operation::lock_destroy: return can_lock(state, uses.object);
    case Operation::lock_queue: return can_lock(state, uses.object) == succeeds;
    case Operation::try_lock: return (uses.is_inner || can_lock(state, uses.object)) == succeeds;
    case Operation::shared_lock: return can_share(state, uses.object);
    case Operation::try_shared_lock: return can_share(state, uses.object) == succeeds;
    case Operation::semaphore_wait: return content(state, uses.object).count > 0;
    case Operation::semaphore_try_wait: return (content(state, uses.object).count > 0) == succeeds;
    case Operation::wait_reacquire:
      return !sleeps(state, trees_[operation].thread) && can_lock(state, uses.mutex);
    case Operation::futex_return:
    case Operation::barrier_leave: return !sleeps(state, trees_[operation].thread);
    case Operation::timeout: return can_time_out(state, operation);
    case Operation::barrier_wait: return can_arrive(state, operation);
    case Operation::once_enter: return can_enter(state, operation);
    case Operation::futex_wake: {
      std::vector<ThreadId> sleepers;
      find_sleepers(state, operation, sleepers);
      return sleepers.empty() == succeeds;
    }
    case Operation::thread_join:
    case Operation::others_ended: return false;
    default: return true;
  }
}

bool TreeMachine::may_be_misuse(Node operation) const {
  const std::uint32_t object = uses_[operation].object;
  const Operation own = trees_.operation(operation).operation;
  return object != kNoObject && objects_[object].is_destroyed &&
         (own == Operation::lock_destroy || takes_lock(own));
}

// A lock must not be destroyed while it is held, or while who waits for a condition is to have it again; and
// who finds it free must not find it destroyed.
bool TreeMachine::is_misuse(const State& state, Node operation) const {
  if (!may_be_misuse(operation)) return false;
  const std::uint32_t lock = uses_[operation].object;
  if (trees_.operation(operation).operation != Operation::lock_destroy) {
    const auto has_destroyed = [&](ThreadId thread) {
      const Node at = this->at(state, thread);
      for (Node up = at; up != ThreadTrees::kNone; up = trees_[up].parent) {
        if (trees_[up].kind == ThreadTrees::Kind::event && uses_[up].object == lock &&
            trees_.operation(up).operation == Operation::lock_destroy)
          return true;
      }
      return false;
    };
    for (ThreadId thread = 0; thread < threads_; ++thread) {
      if (has_destroyed(thread)) return true;
    }
    return false;
  }
  if (!can_lock(state, lock)) return true;
  for (ThreadId thread = 0; thread < threads_; ++thread) {
    if (at(state, thread) == ThreadTrees::kNone || is_over(state, thread)) continue;
    for (Node next = trees_[at(state, thread)].first_child; next != ThreadTrees::kNone;
         next = trees_[next].next_sibling) {
      if (trees_[next].kind == ThreadTrees::Kind::event && uses_[next].mutex == lock &&
          trees_.operation(next).operation == Operation::wait_reacquire)
        return true;
    }
  }
  return false;
}

// ---- What operations do.

bool TreeMachine::wakes_all(Node waker) const {
  const ThreadTrees::Operation& own = trees_.operation(waker);
  if (own.operation == Operation::broadcast) return true;
  return own.operation == Operation::futex_wake && trees_.effect(waker) >= kAllWaiters;
}

void TreeMachine::find_sleepers(const State& state, Node operation, std::vector<ThreadId>& sleepers) const {
  sleepers.clear();
  switch (trees_.operation(operation).operation) {
    case Operation::signal:
    case Operation::broadcast:
    case Operation::futex_wake: break;
    default: return;
  }
  for (ThreadId thread = 0; thread < threads_; ++thread) {
    if (sleeps(state, thread) && sleeps_on(state, thread) == uses_[operation].object)
      sleepers.push_back(thread);
  }
}

void TreeMachine::wake(State& state, std::uint32_t object, ThreadId one) const {
  for (ThreadId thread = 0; thread < threads_; ++thread) {
    const bool is_meant = one == kNoThread || one == thread;
    if (is_meant && sleeps(state, thread) && sleeps_on(state, thread) == object) awake(state, thread);
  }
}

void TreeMachine::count(State& state, std::uint32_t object, std::int32_t change) const {
  Content own = content(state, object);
  own.count += change;
  set_content(state, object, own);
}

void TreeMachine::share(State& state, std::uint32_t object, int change) const {
  Content own = content(state, object);
  own.readers = static_cast<std::int16_t>(std::max(0, own.readers + change));
  set_content(state, object, own);
}

void TreeMachine::queue(State& state, std::uint32_t object, int change) const {
  Content own = content(state, object);
  own.queued = static_cast<std::int16_t>(own.queued + change);
  set_content(state, object, own);
}

// A writer that has queued has the lock, or waits no longer.
void TreeMachine::leave_queue(State& state, Node operation) const {
  const Node before = trees_[operation].parent;
  if (trees_[before].kind != ThreadTrees::Kind::event) return;
  if (trees_.operation(before).operation == Operation::lock_queue) queue(state, uses_[operation].object, -1);
}

void TreeMachine::perform(State& state, Node operation, ThreadId woken) const {
  const ThreadTrees::Operation& own = trees_.operation(operation);
  const Uses& uses = uses_[operation];
  const ThreadId thread = trees_[operation].thread;
  const bool succeeds = own.way == 0;
  switch (own.operation) {
    case Operation::lock:
      if (!uses.is_inner) leave_queue(state, operation);
      [[fallthrough]];
    case Operation::try_lock:
    case Operation::lock_destroy: return succeeds && !uses.is_inner ? count(state, uses.object, -1) : void();
    case Operation::unlock: return uses.is_inner ? void() : count(state, uses.object, 1);
    case Operation::lock_queue:
      return succeeds ? count(state, uses.object, -1) : queue(state, uses.object, 1);
    case Operation::shared_lock:
    case Operation::try_shared_lock: return succeeds ? share(state, uses.object, 1) : void();
    case Operation::shared_unlock: return share(state, uses.object, -1);
    case Operation::semaphore_wait:
    case Operation::semaphore_try_wait: return succeeds ? count(state, uses.object, -1) : void();
    case Operation::semaphore_post: return count(state, uses.object, 1);
    case Operation::wait_release: count(state, uses.mutex, 1); return sleep(state, thread, uses.object);
    case Operation::wait_reacquire: return count(state, uses.mutex, -1);
    case Operation::timeout:
      awake(state, thread);
      return own.operand != 0 ? leave_queue(state, operation) : void();
    case Operation::signal:
    case Operation::broadcast:
    case Operation::futex_wake: return wake(state, uses.object, wakes_all(operation) ? kNoThread : woken);
    case Operation::barrier_wait: {
      if (succeeds) {
        sleep(state, thread, uses.object);
        return count(state, uses.object, 1);
      }
      wake(state, uses.object, kNoThread);
      return set_content(state, uses.object, {});
    }
    case Operation::once_enter:
      return succeeds ? set_content(state, uses.object, {static_cast<std::int32_t>(OnceState::running)})
                      : void();
    case Operation::once_leave: {
      const OnceState left = trees_.effect(operation) == 0 ? OnceState::fresh : OnceState::over;
      return set_content(state, uses.object, {static_cast<std::int32_t>(left)});
    }
    default: return;
  }
}

}  // namespace thrum
