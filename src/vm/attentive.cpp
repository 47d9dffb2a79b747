// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plain accesses where more is wanted than whether they race: what an execution accesses, the earlier access
// of a race, and accesses that are visible operations since they race (--races explore).
#include <algorithm>
#include <cstring>

#include "vm/externals.hpp"
#include "vm/machine.hpp"

namespace thrum::vm {

bool Machine::access_attentively(AccessKind kind, std::uint64_t address, std::uint64_t size,
                                 const Instruction* where, bool is_alone) {
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
