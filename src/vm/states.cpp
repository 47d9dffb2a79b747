// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/states.hpp"

#include <algorithm>
#include <utility>

#include "stateful/pending_races.hpp"
#include "support/check.hpp"

namespace thrum::vm {

VmStates::VmStates(Machine& machine) : machine_(machine), keys_(machine) {
  THRUM_CHECK(machine_.settings.visits_states && machine_.choice_watch == nullptr);
  machine_.choice_watch = this;
  machine_.symmetry = &keys_.symmetry();
  keys_.symmetry().on_escape = [this] {
    if (!escape_) escape_ = machine_.running_stack();
  };
  machine_.memory.set_clears(true);
  plan_.policy.kind = Policy::Kind::base;
  plan_.policy.rounds = Rounds::repeat;
}

VmStates::~VmStates() {
  machine_.choice_watch = nullptr;
  machine_.symmetry = nullptr;
  machine_.shared_words.set_symmetry(nullptr);
  machine_.memory.set_clears(false);
  machine_.in_execution = machine_.attentive_ = false;
}

void VmStates::begin_search() {
  machine_.shared_words.use_what_was_learned();
  keys_.set_symmetric(machine_.settings.heap_symmetry && !escape_);
  machine_.shared_words.set_symmetry(keys_.is_symmetric() ? &keys_.symmetry() : nullptr);
  clock_counts_ = machine_.clock_counts;
  machine_.restarts_search = false;
}

void VmStates::reset() {
  refused_.clear();
  marks_used_ = 0;
  machine_.begin_execution(plan_, nullptr, wanted, trace_);
  keys_.begin();
  standing_ = {};
  mark_here(standing_);
  standing_.is_first = true;
  run();
}

bool VmStates::has_learned() const {
  return machine_.restarts_search || machine_.shared_words.has_learned() ||
         machine_.clock_counts != clock_counts_ || (keys_.is_symmetric() && escape_);
}

void VmStates::step(Option option) {
  if (standing_.point.key.kind == ChoiceKind::thread) {
    if (!is_marked_) mark_here(standing_);
    standing_.events = trace_.events.size();
    standing_.is_first = false;
    standing_.answered = {option};
    note_stand(option);
  } else {
    standing_.answered.push_back(option);
    return_to(standing_);
    trace_.events.resize(standing_.events);
    trace_.details.places.resize(std::min(trace_.details.places.size(), standing_.events));
  }
  run();
}

// Does the step, from where it began, up to the next choice.
void VmStates::run() {
  answer_ = 0;
  stands_ = is_marked_ = false;
  machine_.cycle_traits = {};
  machine_.leaks.end_of_states = {};
  trace_.end = End::finished;
  trace_.failure = {};
  try {
    machine_.run_threads(!standing_.is_first);
  } catch (const Refused& refused) {
    refused_ = refused.why;
    machine_.finish(End::refused);
  }
  if (!machine_.refused.empty()) refused_ = machine_.refused;
  if (stands_) machine_.over = false;
  traits_ = machine_.cycle_traits;
  traits_.yields = yields_;
  traits_.may_block = may_block_;
}

std::uint16_t VmStates::choose(const ChoicePoint& point) {
  if (answer_ < standing_.answered.size()) {
    const auto taken = std::ranges::find(machine_.options, standing_.answered[answer_++]);
    THRUM_CHECK(taken != machine_.options.end());
    return static_cast<std::uint16_t>(taken - machine_.options.begin());
  }
  stands_ = true;
  standing_.point = point;
  standing_.options = machine_.options;
  return Director::kStop;
}

// A step begins with a choice among threads: a mark between two steps is where the next one begins.
StateProgram::Mark VmStates::mark() {
  if (!machine_.over && standing_.point.key.kind == ChoiceKind::thread && !is_marked_) mark_here(standing_);
  if (marks_.size() == marks_used_) marks_.emplace_back();
  marks_[marks_used_] = standing_;
  return marks_used_++;
}

void VmStates::undo(Mark mark) {
  marks_used_ = mark + 1;
  standing_ = marks_[mark];
  return_to(standing_);
}

void VmStates::mark_here(Standing& standing) {
  keys_.mark(standing.keys);
  standing.moment = machine_.mark();
  is_marked_ = true;
}

void VmStates::return_to(const Standing& standing) {
  machine_.undo(standing.moment);
  keys_.undo(standing.keys);
  is_marked_ = true;
}

const Thread* VmStates::find(ThreadId id) {
  const auto is_it = [id](std::uint16_t slot) { return Machine::thread(slot).id == id; };
  const auto found = std::ranges::find_if(Machine::live(), is_it);
  return found == Machine::live().end() ? nullptr : &Machine::thread(*found);
}

bool VmStates::stands_at_plain_access(ThreadId id) {
  const Thread* const one = find(id);
  return one != nullptr && one->life == Life::standing &&
         (one->operation == Operation::racy_load || one->operation == Operation::racy_store ||
          one->operation == Operation::racy_free);
}

ThreadId VmStates::id_in_order(ThreadId id) {
  const Thread* const one = find(id);
  return one == nullptr ? id : one->id_in_order;
}

// What the step that begins will be, as far as that is to be seen before it.
void VmStates::note_stand(Option option) {
  yields_ = option.via == Via::timeout || option.via == Via::expiry;
  may_block_ = false;
  const Thread* const one = find(option.value);
  if (one == nullptr || one->life != Life::standing) return;
  yields_ = yields_ || one->operation == Operation::yield || one->operation == Operation::sleep;
  may_block_ = one->wait != Wait::nothing;
}

std::vector<Failure> VmStates::races() {
  std::vector<MemoryAccess> pending;
  for (const std::uint16_t slot : Machine::live()) {
    if (const auto access = machine_.pending_access(Machine::thread(slot))) pending.push_back(*access);
  }
  return races_among(pending);
}

// What the thread, which stands before an operation, is about to access; nothing: nothing that may race.
std::optional<MemoryAccess> Machine::pending_access(const Thread& one) const {
  if (one.life != Life::standing || !is_enabled(one) || is_allowed(one.object)) return std::nullopt;
  MemoryAccess access{one.id, AccessKind::plain_read, one.size, one.object, one.code, one.events, 0};
  const auto of = [&access](AccessKind kind, std::uint32_t size) {
    access.kind = kind;
    access.size = size;
    return std::optional(access);
  };
  constexpr std::uint32_t kPartOfObject = 4;
  const bool reads_apart = (one.left_out & 0xffff) != 0, writes_apart = one.left_out >> 16 != 0;
  switch (one.operation) {
    case Operation::racy_load:
      if (reads_apart) return std::nullopt;
      return of(AccessKind::plain_read, one.size);
    case Operation::racy_store:
      if (writes_apart) return std::nullopt;
      return of(AccessKind::plain_write, one.size);
    case Operation::racy_free: return of(AccessKind::free, one.size);
    case Operation::load:
    case Operation::store:
    case Operation::read_modify_write:
    case Operation::compare_exchange: return of(kind_of_atomic(one), one.size);
    case Operation::lock_destroy: return of(AccessKind::plain_write, sizeof(void*));
    case Operation::lock:
    case Operation::try_lock:
    case Operation::unlock:
    case Operation::shared_lock:
    case Operation::try_shared_lock:
    case Operation::shared_unlock:
    case Operation::lock_queue:
    case Operation::wait_release:
    case Operation::signal:
    case Operation::broadcast:
    case Operation::semaphore_wait:
    case Operation::semaphore_try_wait:
    case Operation::semaphore_post:
    case Operation::barrier_wait: return of(AccessKind::atomic_write, kPartOfObject);
    default: return std::nullopt;
  }
}

}  // namespace thrum::vm
