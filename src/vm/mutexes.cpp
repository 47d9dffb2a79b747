// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/mutexes.hpp"

#include <algorithm>

#include "vm/library.hpp"

namespace thrum::vm {

namespace {

// The robust mutexes that a thread holds, the newest last.
struct Held {
  static constexpr std::uint64_t kMax = 1023;
  std::uint64_t count;
  std::uint64_t objects[kMax];
};
Held& held_by(const Thread& thread) {
  return at<Held>(state_place(LibraryState::robust_mutexes) + thread.slot * sizeof(Held));
}

void forget(Machine& machine, Held& held, std::uint64_t object) {
  std::uint64_t* const end = held.objects + held.count;
  std::uint64_t* const place = std::find(held.objects, end, object);
  if (place == end) return;
  const auto rest = static_cast<std::uint64_t>(end - place);
  machine.memory.note(reinterpret_cast<std::uint64_t>(place), rest * sizeof(std::uint64_t));
  std::copy(place + 1, end, place);
  machine.memory.put(held.count, held.count - 1);
}

}  // namespace

int take_mutex(Call& call, std::uint64_t object) {
  LockState& lock = at<LockState>(object);
  if (is_robust(lock) && lock.condition == MutexCondition::not_recoverable) return ENOTRECOVERABLE;
  set(call, lock.owner, owner_word(call));
  ++call.thread.locks;
  if (!is_robust(lock)) return 0;
  Held& held = held_by(call.thread);
  if (held.count == Held::kMax) {
    refuse(call, "more than 1023 robust mutexes that a thread holds");
    return 0;
  }
  call.machine.memory.put(held.objects[held.count], object);
  call.machine.memory.put(held.count, held.count + 1);
  return lock.condition == MutexCondition::owner_died ? EOWNERDEAD : 0;
}

void give_up_mutex(Call& call, std::uint64_t object) {
  LockState& lock = at<LockState>(object);
  if (lock.owner == owner_word(call)) --call.thread.locks;
  set(call, lock.owner, std::uint32_t{0});
  if (!is_robust(lock)) return;
  forget(call.machine, held_by(call.thread), object);
  if (lock.condition == MutexCondition::owner_died)
    set(call, lock.condition, MutexCondition::not_recoverable);
}

// Each robust mutex that the thread still holds is unlocked; the next owner is told that its owner died.
// me.kept[2]: it stands before the unlocking.
std::optional<Stop> Machine::leave_robust_mutexes(Thread& me) {
  Held& held = held_by(me);
  while (held.count != 0) {
    const std::uint64_t object = held.objects[held.count - 1];
    if (me.kept[2] == 0 && in_execution) {
      me.kept[2] = 1;
      if (arrive(Operation::unlock, object, 0)) return Stop::arrived;
      if (over) return Stop::over;
    }
    me.kept[2] = 0;
    memory.put(held.count, held.count - 1);
    if (!may_write(object, sizeof(LockState))) return Stop::over;
    LockState& lock = at<LockState>(object);
    memory.note(object, sizeof lock);
    lock.owner = lock.count = 0;
    --me.locks;
    lock.condition = MutexCondition::owner_died;
    done(true, 0, 1);
    if (over) return Stop::over;
  }
  return std::nullopt;
}

}  // namespace thrum::vm
