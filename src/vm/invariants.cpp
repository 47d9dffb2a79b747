// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Invariants: conditions that hold in each state between two steps (thrum_invariant). Each has a thread, its
// checker, whose only operation evaluates it once; and besides it is evaluated at each choice, in the
// checker's frames and on its stack, which is no operation (docs/semantics.md, "Events and scheduling
// points").
#include <string>
#include <string_view>

#include "vm/library.hpp"

namespace thrum::vm {

namespace {

struct StatedInvariant {
  std::uint64_t holds;
  std::uint64_t argument;
  std::uint64_t name;
  std::uint64_t code;  // where it was stated
};
StatedInvariant& invariant_of(const Thread& checker) {
  return at<StatedInvariant>(state_place(LibraryState::invariants) + checker.slot * sizeof(StatedInvariant));
}

std::string name_of_invariant(const Thread& checker) {
  const std::uint64_t place = invariant_of(checker).name;
  if (place == 0) return "";
  std::string name;
  for (std::uint64_t i = place; in_arena(i) && (shadow_at<std::uint8_t>(i) & kAddressable) != 0; ++i) {
    if (at<char>(i) == 0) break;
    name += at<char>(i);
  }
  return " '" + name + "'";
}

// What the checker does, one after the other: kept[0].
enum CheckStage : std::uint64_t { kArrives, kEvaluates, kHasEvaluated, kIsDone };

// Functions that only read, or write to a variable of the caller's.
bool may_be_called(std::string_view name) {
  constexpr std::string_view kNames[] = {"memcpy",  "memmove", "memset",  "memcmp",         "bcmp",
                                         "memchr",  "strlen",  "strcmp",  "strncmp",        "strchr",
                                         "strrchr", "strstr",  "strnlen", "thrum_is_active"};
  for (const std::string_view one : kNames) {
    if (name == one) return true;
  }
  return false;
}

}  // namespace

Stop Machine::fail_invariant(const Thread& checker) {
  return fail({BugKind::invariant,
               "the invariant" + name_of_invariant(checker) + " does not hold",
               current().id,
               invariant_of(checker).code,
               {}});
}

bool Machine::refuse_in_invariant(const char* does) {
  if (!over)
    fail({BugKind::lock_misuse,
          "the invariant" + name_of_invariant(*checks_) + " may only read memory, and " + does,
          current().id,
          invariant_of(*checks_).code,
          {}});
  return false;
}

bool Machine::access_in_invariant(bool writes, std::uint64_t address) {
  const bool is_own = address - checks_->stack_limit() < checks_->stack_size;
  return !writes || is_own || refuse_in_invariant("writes memory");
}

bool Machine::may_call_in_invariant(const Function& function) {
  return may_be_called(function.name) || refuse_in_invariant("calls a function that Thrum controls");
}

// Evaluates it in the state between two steps. False: the execution is over.
bool Machine::check_invariant(Thread& checker) {
  const StatedInvariant& invariant = invariant_of(checker);
  Function* const function = function_at_address(invariant.holds);
  if (function == nullptr || !function->is_defined) {
    fail(BugKind::crash, "segmentation fault");
    return false;
  }
  const Thread before = change(checker);
  const bool judged = judges, footprints = records_footprints;
  checks_ = &checker;
  judges = records_footprints = in_execution = false;
  checker.top = checker.unsaved = checker.bottom - 1;
  checker.rounding = current().rounding;
  push(checker, *function, {invariant.argument}, Then::check);
  settings.loop(this, &checker, nullptr);
  const bool holds = (checker.result & 0xffff'ffff) != 0;
  judges = judged;
  records_footprints = footprints;
  in_execution = true;
  checks_ = nullptr;
  checker = before;
  if (!over && !holds) fail_invariant(checker);
  return !over;
}

bool Machine::check_invariants() {
  for (std::uint32_t slot = 1; slot < course().slots_used; ++slot) {
    Thread& one = thread(slot);
    if (one.is_checker && !one.released && !check_invariant(one)) return false;
  }
  return true;
}

// The checker's own evaluation; nothing: it is over, and the thread ends.
std::optional<Stop> Machine::go_on_checking(Thread& me) {
  const StatedInvariant& invariant = invariant_of(me);
  if (me.kept[0] == kArrives) {
    me.kept[0] = kEvaluates;
    if (arrive(Operation::invariant, 0, 0)) {
      me.code = invariant.code;
      return Stop::arrived;
    }
    return Stop::over;
  }
  if (me.kept[0] == kEvaluates) {
    me.kept[0] = kHasEvaluated;
    done(false);
    if (over) return Stop::over;
    ++me.atomic_depth;
    judges = false;
    push(me, *function_at_address(invariant.holds), {invariant.argument}, Then::thread);
    return std::nullopt;
  }
  me.kept[0] = kIsDone;
  --me.atomic_depth;
  judges = settings.judges_races;
  footprints_.begin();
  if ((me.result & 0xffff'ffff) == 0) return fail_invariant(me);
  me.result = 0;
  return std::nullopt;
}

bool Machine::is_checking(const Thread& thread) { return thread.is_checker && thread.kept[0] != kIsDone; }

// Phases: 0 starts the checker, 1 it stands before its operation.
Next do_invariant(Call& call) {
  Machine& machine = call.machine;
  Thread& me = call.thread;
  if (!machine.in_execution) return Next::begins;
  if (call.phase() == 1) return call.result(me.kept[0]);
  machine.note_change(me);
  Thread* const checker = machine.add_thread();
  if (checker == nullptr) return Next::over;
  checker->is_checker = true;
  StatedInvariant& invariant = invariant_of(*checker);
  machine.memory.note(reinterpret_cast<std::uint64_t>(&invariant), sizeof invariant);
  invariant = {call.argument(1), call.argument(2), call.argument(0), machine.code_of(me)};
  ++machine.change_course().invariants;
  machine.note_in_trace(Operation::thread_create, *checker);
  machine.started = checker->slot;
  me.kept[0] = checker->handle();
  me.phase = 1;
  return Next::started;
}

// Phases: 0 waits for the checker, 1 it has ended.
Next do_invariant_end(Call& call) {
  Machine& machine = call.machine;
  Thread& me = call.thread;
  if (!machine.in_execution) return Next::done;
  if (call.phase() == 0) {
    Thread* const checker = machine.find_thread(call.argument(0));
    if (checker == nullptr || !checker->is_checker || checker->joined_by_someone) return Next::done;
    me.phase = 1;
    machine.change(*checker).joined_by_someone = true;
    if (wait_for_end(call, *checker)) return Next::arrived;
    return machine.over ? Next::over : Next::again;
  }
  Thread& checker = Machine::thread(me.joined);
  me.at_cancellation_point = false;
  if (checker.life != Life::ended) {
    machine.change(checker).joined_by_someone = false;  // the thread is cancelled
    return Next::done;
  }
  machine.note_in_trace(Operation::thread_join, checker);
  machine.change(checker).released = true;
  --machine.change_course().invariants;
  return Next::done;
}

}  // namespace thrum::vm
