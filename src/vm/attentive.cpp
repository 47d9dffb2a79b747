// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plain accesses where more is wanted than whether they race: what an execution accesses, the earlier access
// of a race, and accesses that are visible operations since they race (--races explore).
#include <algorithm>
#include <array>
#include <cstring>

#include "stateful/pending_races.hpp"
#include "vm/externals.hpp"
#include "vm/machine.hpp"

namespace thrum::vm {

bool Machine::access_attentively(AccessKind kind, std::uint64_t address, std::uint64_t size,
                                 const Instruction* where, std::uint32_t ordinal) {
  if (settings.visits_states) return access_in_states(kind, address, size, where, std::max(ordinal, 1U));
  const bool is_alone = ordinal == 0;
  const auto code_number = reinterpret_cast<std::uint64_t>(where);
  Thread& me = current();
  const bool changes = kind == AccessKind::plain_write;
  const bool comes_back = is_alone && !me.in_call && me.phase != 0;
  bool is_operation = comes_back;
  if (comes_back) {
    ++steps_left;  // it was counted before
  } else if (judges && known_races.count() != 0 &&
             known_races.promotes(code_of_access(code_number), address, size)) {
    is_operation = is_alone && !me.in_call;
    if (!is_operation && !unexplored) unexplored = running_stack();
  }
  if (is_operation && !comes_back) {
    stand_at(where);
    me.phase = 1;
    const auto bytes = static_cast<std::uint32_t>(size);
    if (arrive(changes ? Operation::racy_store : Operation::racy_load, address, bytes) || over) return false;
  }
  const bool may_wait = !is_operation && is_alone && !changes && !me.in_call && idle_rounds_.is_noting();
  if (may_wait && waits_at_plain_read(me, address, size, where)) return false;
  if (is_operation) me.phase = 0;
  if (records_footprints) note_footprint(me, changes, address, size);
  if (idle_rounds_.is_noting() && !is_operation) idle_rounds_.note_plain(me, changes, address, size);
  if (!judges) {
    if (!changes) note_unwatched_read(me);
    return true;
  }
  stand_at(where);
  if (recognises_) recognise(kind, address, size, code_number, is_operation);
  if (!judge_access(kind, address, size, where)) return false;
  if (!is_operation) return true;
  std::uint64_t value = 0;
  if (!changes && size <= sizeof value) std::memcpy(&value, &at<char>(address), size);
  done(changes, value);
  return !over;
}

// Where states are visited, each access to memory that several threads use is a visible operation: a race is
// two threads that both stand before one. Of several accesses of an instruction, each has its own turn; the
// instruction is done at the last one's. A call of the machine does its accesses at once: what they share is
// not seen before.
bool Machine::access_in_states(AccessKind kind, std::uint64_t address, std::uint64_t size,
                               const Instruction* where, std::uint32_t ordinal) {
  if (__builtin_expect(checks_ != nullptr, 0))
    return access_in_invariant(kind == AccessKind::plain_write, address);
  Thread& me = current();
  const bool changes = kind == AccessKind::plain_write;
  const bool is_shared = shared_words.note(
      me.slot, address, size, changes ? SharedWords::Access::plain_write : SharedWords::Access::plain_read);
  if (is_shared && me.in_call && !unexplored) unexplored = running_stack();
  if (me.atomic_depth != 0) return !is_shared || passes_in_section(kind, address, size);
  if (me.in_call) return true;
  if (me.phase > ordinal) return true;  // it was done
  if (me.phase == ordinal) {
    ++steps_left;  // it was counted before
    me.phase = 0;
    done(changes);
    return !over;
  }
  if (!is_shared) return true;
  stand_at(where);
  me.phase = ordinal;
  arrive(changes ? Operation::racy_store : Operation::racy_load, address, static_cast<std::uint32_t>(size));
  return false;
}

// A section without interruption is one event. Its accesses race with those that other threads stand before.
bool Machine::passes_in_section(AccessKind kind, std::uint64_t address, std::uint64_t size) {
  const Thread& me = current();
  const MemoryAccess mine{me.id, kind, static_cast<std::uint32_t>(size), address, code_of(me), me.events, 0};
  if (is_allowed(address) || !settings.judges_races) return true;
  for (const std::uint16_t slot : live()) {
    const std::optional<MemoryAccess> other = pending_access(thread(slot));
    if (!other) continue;
    const std::vector<Failure> races_found = races_among(std::array{*other, mine});
    if (races_found.empty()) continue;
    fail(races_found.front());
    return false;
  }
  return true;
}

// A loop that waits for plain memory does no operation: after many reads without one it is looked at there.
// If it waits, the read is an event, so that a race with the write that ends the loop is seen.
bool Machine::waits_at_plain_read(Thread& me, std::uint64_t address, std::uint64_t size,
                                  const Instruction* where) {
  if (me.atomic_depth != 0 || !idle_rounds_.is_due_at_plain_read(me)) return false;
  stand_at(where);
  me.code = code_of(me);
  if (!comes_by_idle_round(me)) return over;
  me.phase = 1;
  if (stand_before(Operation::racy_load, address, static_cast<std::uint32_t>(size), Wait::nothing))
    me.wait = Wait::spin;
  return true;
}

}  // namespace thrum::vm
