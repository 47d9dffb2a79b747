// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order/execution_names.hpp"

#include <bit>

#include "support/check.hpp"
#include "support/hash.hpp"

namespace thrum {

namespace {

constexpr std::uint64_t kCell = 8;

// How an event accesses its object.
enum class Touch : std::uint8_t { nothing, reads, changes, changes_two, unknown };

Touch touch_of(Operation operation, Outcome outcome) {
  const bool is_read = outcome == Outcome::failed || outcome == Outcome::unchanged;
  switch (operation) {
    case Operation::fence:
    case Operation::yield:
    case Operation::choose:
    case Operation::point: return Touch::nothing;
    case Operation::load: return Touch::reads;
    case Operation::store:
    case Operation::read_modify_write:
    case Operation::compare_exchange:
    case Operation::try_lock: return is_read ? Touch::reads : Touch::changes;
    case Operation::lock:
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
    case Operation::process_exit: return Touch::changes;
    case Operation::wait_release:
    case Operation::wait_reacquire: return Touch::changes_two;
    default: return Touch::unknown;
  }
}

// Names that belong to no event.
enum : std::uint32_t { kStart = 0xff01, kJoin = 0xff02, kThread = 0xff03 };

bool is_free(std::uint32_t number) { return number == 0; }

}  // namespace

std::uint64_t ExecutionNames::hash(const Key& key) {
  const std::uint64_t whence =
      mixed(std::uint64_t{key.previous} << 32 | key.behind, std::uint64_t{key.also_behind} << 32 | key.what);
  const std::uint64_t deed = mixed(key.object ^ key.argument, key.value ^ std::rotl(key.operand, 32));
  return whence ^ deed;
}

std::uint64_t ExecutionNames::hash(std::uint64_t cell) { return mixed(cell, 0); }

// The name for the key; kNone if it has none and gets none.
ExecutionNames::Name ExecutionNames::name(const Key& key) {
  const Name guess = named_[key.previous].next;
  return guess != kNone && named_[guess].key == key ? guess : name_of_other(key);
}

// The same without a look at the event that followed the same name last.
ExecutionNames::Name ExecutionNames::name_of_other(const Key& key) {
  names_.make_room(size() + 1, is_free, [&](Name name) { return hash(named_[name].key); });
  Name& found =
      names_[names_.find(hash(key), [&](Name name) { return is_free(name) || named_[name].key == key; })];
  if (found == kNone) {
    if (!grows_ || is_full()) return kNone;
    found = static_cast<Name>(named_.size());
    named_.emplace_back().key = key;
  }
  return named_[key.previous].next = found;
}

// The object's number; 0 if there are too many.
std::uint32_t ExecutionNames::object_at(std::uint64_t address) {
  const std::uint64_t cell = address / kCell;
  cells_.make_room(objects_.size() + 1, is_free,
                   [&](std::uint32_t object) { return hash(objects_[object - 1].cell); });
  std::uint32_t& found = cells_[cells_.find(hash(cell), [&](std::uint32_t object) {
    return is_free(object) || objects_[object - 1].cell == cell;
  })];
  if (found != 0 || objects_.size() == kObjectsMax) return found;
  objects_.push_back({cell});
  return found = static_cast<std::uint32_t>(objects_.size());
}

void ExecutionNames::undo() {
  for (std::size_t i = 0; i < changed_; ++i) objects_[changes_[i].object - 1].last = kNone;
  changed_ = 0;
}

void ExecutionNames::begin(bool grows) {
  undo();
  if (named_.empty()) {
    named_.resize(1);
    changes_.resize(kChangesMax + 1);  // an event may change two objects
  }
  last_.assign(1, kNone);
  grows_ = grows;
  lost_ = false;
}

bool ExecutionNames::lose() {
  lost_ = true;
  return false;
}

bool ExecutionNames::create(std::uint16_t parent, std::uint16_t child, std::uint64_t who) {
  if (lost_) return false;
  if (last_.size() <= child) last_.resize(child + std::size_t{1}, kNone);
  last_[child] = name({last_[parent], kNone, kNone, kStart, who, child, 0, 0});
  return last_[child] != kNone || lose();
}

bool ExecutionNames::join(std::uint16_t thread, std::uint16_t other) {
  if (lost_) return false;
  last_[thread] = name({last_[thread], last_[other], kNone, kJoin, other, 0, 0, 0});
  last_[other] = kNone;
  return last_[thread] != kNone || lose();
}

// Finds the objects of an event. False if there are too many.
bool ExecutionNames::find_objects(const Deed& deed, bool two, std::uint32_t& object, std::uint32_t& also) {
  const std::uint64_t end = deed.object + (deed.size == 0 ? 0 : deed.size - 1);
  if (end / kCell > deed.object / kCell + 1) return false;
  object = object_at(deed.object);
  if (object == 0) return false;
  const std::uint64_t second = two ? deed.operand : end;
  if (second / kCell == deed.object / kCell) return true;
  also = object_at(second);
  return also != 0;
}

bool ExecutionNames::take_first(std::uint16_t thread, const Deed& deed) {
  const Touch touch = touch_of(deed.operation, deed.outcome);
  if (lost_ || touch == Touch::unknown) return lose();
  Key key{last_[thread], kNone, kNone, what(deed), deed.object, deed.value, deed.operand, deed.argument};
  std::uint32_t object = 0;
  std::uint32_t also = 0;
  if (touch != Touch::nothing) {
    if (!find_objects(deed, touch == Touch::changes_two, object, also)) return lose();
    key.behind = last_change(object);
    if (also != 0) key.also_behind = last_change(also);
  }
  const Name mine = name_of_other(key);
  if (mine == kNone) return lose();
  Named& named = named_[mine];
  named.object = object;
  named.also = also;
  named.changes = touch >= Touch::changes;
  last_[thread] = mine;
  do_changes(named, mine);
  return true;
}

// One name for the last events of all threads together.
ExecutionNames::Name ExecutionNames::whole() {
  Name all = last_[0];
  for (std::size_t thread = 1; thread < last_.size() && !lost_; ++thread) {
    if (last_[thread] == kNone) continue;
    all = name({all, last_[thread], kNone, kThread, thread, 0, 0, 0});
    if (all == kNone) lose();
  }
  return lost_ ? kNone : all;
}

bool ExecutionNames::is_kept() { return named_[whole()].ends_kept; }

void ExecutionNames::keep() {
  THRUM_CHECK(grows_);
  const Name all = whole();
  if (all != kNone) named_[all].ends_kept = true;
}

void ExecutionNames::save(Moment& moment) const {
  moment.lost = lost_;
  if (lost_) return;
  moment.changes.assign(changes_.begin(), changes_.begin() + static_cast<std::ptrdiff_t>(changed_));
  moment.last = last_;
}

void ExecutionNames::restore(const Moment& moment, bool grows) {
  begin(grows);
  if (moment.lost) {
    lose();
    return;
  }
  for (const Change& made : moment.changes) change(made.object, made.name);
  last_ = moment.last;
}

void ExecutionNames::forget() {
  undo();
  named_.clear();
  names_.clear();
  objects_.clear();
  cells_.clear();
}

}  // namespace thrum
