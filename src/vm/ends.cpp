// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How threads begin and end, and the process.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "objects/objects.hpp"
#include "vm/externals.hpp"
#include "vm/machine.hpp"

namespace thrum::vm {

// A new slot while there are some that no thread had, so that a thread's addresses depend on the order of
// creation only. Then the first one whose thread has ended and was joined; nothing: there is none. Where
// states are visited, slots come again early: a program that creates and joins threads for ever may have few
// states.
std::optional<std::uint16_t> Machine::take_slot() {
  constexpr std::uint16_t kFirstSlots = 8;
  Course& all = change_course();
  const bool comes_again = settings.visits_states && all.slots_used >= kFirstSlots;
  if (all.slots_used < kThreadSlots && !comes_again) return all.slots_used++;
  // Main keeps its slot, and the thread of the last event is still asked for its name.
  for (std::uint16_t slot = 1; slot < all.slots_used; ++slot) {
    Thread& former = thread(slot);
    if (former.detached) trace->reveals_threads = true;
    const bool is_known = settings.visits_states && former.locks != 0;  // to the locks, by its id
    if (former.life == Life::ended && former.released && slot != all.last && !is_known) return slot;
  }
  return all.slots_used < kThreadSlots ? std::optional(all.slots_used++) : std::nullopt;
}

// The least that no thread has or had, but for those whose slots others have now.
ThreadId Machine::free_id(const Thread& parent) const {
  for (std::uint32_t ordinal = 1;; ++ordinal) {
    const ThreadId id = names.child(parent.id, ordinal);
    std::uint32_t slot = 0;
    while (slot < course().slots_used && thread(slot).id != id) ++slot;
    if (slot == course().slots_used) return id;
  }
}

// Before another thread gets its slot: all that does not begin with zeros then.
void Machine::forget_former(Thread& former) {
  note_change(former);
  change_course().events_of_former += former.events;
  exit_stacks_.erase(former.slot);
  forget_settings(former);
  forget_locale(former);
  forget_errno(former);
  forget_keys(former);
  signals.forget_alternate(former);
}

Thread* Machine::add_thread() {
  if (trial_.thread != nullptr) {
    finish(End::waiting);
    return nullptr;
  }
  Course& all = change_course();
  constexpr std::uint16_t kNamesMax = kNoThread - 1;
  const std::optional<std::uint16_t> slot = all.created == kNamesMax ? std::nullopt : take_slot();
  if (!slot) {
    finish(End::threads);
    return nullptr;
  }
  note_hidden_change();
  Thread& parent = current();
  Thread& child = thread(*slot);
  memory.note(reinterpret_cast<std::uint64_t>(&child), sizeof child);
  touched_[*slot] = stepped_[*slot] = marks_;
  if (child.life == Life::ended) forget_former(child);
  const std::uint32_t draws = child.random_draws;  // the slot's, so that numbers do not come again
  child = {};
  child.random_draws = draws;
  child.slot = *slot;
  child.number = settings.visits_states ? *slot : all.created++;
  child.id = settings.visits_states ? free_id(parent) : names.child(parent.id, ++parent.children);
  if (keeps_order) child.id_in_order = names.child(parent.id_in_order, ++parent.children);
  child.rounding = parent.rounding;
  child.life = Life::unsettled;
  child.bottom = &at<Frame>(kFrames + *slot * kFramesSize) + 1;
  child.top = child.unsaved = child.bottom - 1;
  begin_storage(child);
  signals.inherit(child, parent);
  insert_live(*slot);
  if (judges) {
    races.create(parent.number, child.number);
    race_names_.resize(std::max<std::size_t>(race_names_.size(), child.number + std::size_t{1}));
    race_names_[child.number] = child.id;
  }
  return &child;
}

Thread* Machine::create(std::uint64_t body, std::uint64_t argument) {
  Thread* const child = add_thread();
  if (child == nullptr) return nullptr;
  Function* const function = function_at_address(body);
  if (function == nullptr || !function->is_defined) {
    fail(BugKind::crash, "segmentation fault");
    return nullptr;
  }
  push(*child, *function, {argument}, Then::thread);
  return child;
}

Thread* Machine::find_thread(std::uint64_t handle) {
  const std::uint64_t slot = (handle - thread(0).handle()) / kThreadSize;
  if (slot >= course().slots_used) return nullptr;
  Thread& found = thread(static_cast<std::uint32_t>(slot));
  return found.handle() == handle ? &found : nullptr;
}

bool Machine::is_last(const Thread& of) const {
  const std::span<std::uint16_t> all = live();
  return std::all_of(all.begin(), all.end(),
                     [&of](std::uint16_t slot) { return slot == of.slot || thread(slot).is_timer; });
}

// The process ends with its last thread, whatever its timers would do.
bool Machine::have_only_timers() const {
  const std::span<std::uint16_t> all = live();
  return std::all_of(all.begin(), all.end(), [](std::uint16_t slot) { return thread(slot).is_timer; });
}

// Main begins with the constructors of variables; when it returns, the process exits.
std::optional<Stop> Machine::go_on_at_end(Thread& me) {
  Course& all = change_course();
  const std::size_t constructors = code.constructors.size();
  if (me.slot == 0 && all.startup <= constructors) {
    if (all.startup < constructors) {
      Function& constructor = *code.constructors[all.startup++];
      if (!constructor.is_quiet) begin_program();
      push(me, constructor, {}, Then::thread);
    } else {
      ++all.startup;
      begin_program();
      push(me, *code.main, {settings.arguments.size(), place_arguments(), environment_address()},
           Then::thread);
    }
    return std::nullopt;
  }
  if (me.slot == 0 && me.kept[4] == 0) {
    if (all.startup == constructors + 1) {
      ++all.startup;
      me.kept[5] = me.result;  // main's
      all.exit_status = static_cast<std::int32_t>(me.result);
    }
    if (run_exit_handler(me, Then::thread)) return std::nullopt;
    return stop_of(leave_process(me, static_cast<int>(me.kept[5]), Exit::in_order));
  }
  if (me.kept[4] == 3) return exit_as_last(me);
  if (const auto stop = await_handlers(me)) return stop;
  if (run_thread_destructor(me, Then::thread)) return std::nullopt;
  if (const auto stop = leave_robust_mutexes(me)) return stop;
  return finish_thread(me);
}

// A thread handles what it was sent before it ends. me.kept[1]: 0 at first, 1 it stands before that, 2 it
// has.
std::optional<Stop> Machine::await_handlers(Thread& me) {
  if (me.kept[1] == 2) return std::nullopt;
  if (me.kept[1] == 0 && in_execution && Signals::any_pending() && Signals::has_own(me)) {
    me.kept[1] = 1;
    if (arrive(Operation::signal_pending, kSignalObject, 0, Wait::handlers)) return Stop::arrived;
    if (over) return Stop::over;
  }
  if (me.kept[1] == 1) done(false);
  me.kept[1] = 2;
  me.cancellation.disabled = true;
  return over ? std::optional(Stop::over) : std::nullopt;
}

Next Machine::leave_all_frames(Thread& me) {
  for (Frame* frame = me.top - 1; frame >= me.bottom; --frame) {
    if (frame < me.unsaved) save_frame(me, *frame);
  }
  const std::uint64_t left = me.top < me.bottom ? me.stack_end() : leave_handlers(me, me.bottom - 1);
  memory.set_shadow(left, me.stack_end() - left, 0);
  me.top = me.bottom - 1;
  me.in_call = false;
  me.phase = 0;
  me.kept[1] = me.kept[2] = me.kept[3] = 0;
  me.kept[4] = 2;  // it ended by itself
  me.kept[5] = me.exit_result;
  return Next::unwound;
}

std::optional<Stop> Machine::end_thread() {
  Thread& me = current();
  if (__builtin_expect(me.is_checker, 0) && is_checking(me)) {
    if (const std::optional<Stop> stop = go_on_checking(me)) return stop;
    if (me.top >= me.bottom) return std::nullopt;
  }
  if (me.slot != 0 && me.phase == 0 && me.kept[4] == 0) {
    me.kept[4] = 1;          // its function has returned
    me.kept[5] = me.result;  // what a join gets
    if (me.returns_int)
      me.kept[5] = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(me.result)});
  }
  return go_on_at_end(me);
}

std::optional<Stop> Machine::stop_of(Next next) {
  switch (next) {
    case Next::arrived: return Stop::arrived;
    case Next::ended: return Stop::ended;
    case Next::over: return Stop::over;
    case Next::begins: return Stop::begins;
    default: return std::nullopt;
  }
}

// Main is the last thread and ends the process, as if it had called exit. What the others did comes before
// that.
std::optional<Stop> Machine::exit_as_last(Thread& me) {
  if (me.kept[3] == 0) {
    me.kept[3] = 1;
    for (std::uint32_t slot = 0; slot < course().slots_used; ++slot) {
      const Thread& other = thread(slot);
      if (&other != &me && !other.is_timer && !other.joined_by_someone && judges)
        races.join(me.number, other.number);
    }
    note_in_trace(Operation::others_ended, me);
  }
  if (run_exit_handler(me, Then::thread)) return std::nullopt;
  return stop_of(leave_process(me, 0, Exit::in_order));
}

std::optional<Stop> Machine::finish_thread(Thread& me) {
  me.result = me.kept[5];
  // A signal or a timer may still come to the last thread: then that is the one that ends the process.
  const bool something_comes = course().live_count > 1 || Signals::any_pending();
  if (is_last(me) && (me.slot == 0 || something_comes)) return exit_as_last(me);
  if (!end_judged(me)) return Stop::over;
  note_in_trace(Operation::thread_end, me);
  me.life = Life::ended;
  note_written(me.object_address(), 1);
  me.released = me.detached;
  remove_live(me.slot);
  signals.drop_all(me);
  for (std::uint16_t slot : live()) {
    Thread& other = thread(slot);
    if (other.wait != Wait::join || thread(other.joined).slot != me.slot) continue;
    change(other);
    other.wait = Wait::nothing;
    other.life = Life::unsettled;
    push_unsettled(slot);
  }
  if (me.own_stack_end != 0) memory.set_shadow(me.stack_limit(), me.stack_size, kAddressable | kDefined);
  if (!code.thread_local_content.empty())
    memory.set_shadow(me.local_storage(), code.thread_local_content.size(), kDead);
  if (course().live_count != 0 || course().unsettled_count != 0) return Stop::ended;
  // Main has ended before, by pthread_exit; now it ends the process.
  Thread& main = change(thread(0));
  main.life = Life::unsettled;
  main.kept[4] = 3;
  insert_live(0);
  course().current = 0;
  return Stop::begins;
}

// What libraries have allocated before is not the program's.
void Machine::begin_program() {
  if (std::exchange(has_begun_program_, true)) return;
  leaks.begin_program();
}

Next Machine::leave_process(Thread& me, int status, Exit how) {
  if (in_execution) {
    if (me.phase == 0) {
      me.phase = 1;
      if (arrive(Operation::process_exit, 0, 0)) return Next::arrived;
      if (over) return Next::over;
    }
    if (trial_.thread != nullptr) {
      finish(End::waiting);
      return Next::over;
    }
    done(true, static_cast<std::uint64_t>(status));
    if (over) return Next::over;
  }
  if (in_execution && live().size() > 1) {
    if (fail_by_self_lock()) return Next::over;
    if (status == 0) look_at_exit();
  }
  if (status == 0 && settings.test.empty() && !tests.calls.empty()) tests.is_listed = true;
  if (status != 0) {
    fail(BugKind::nonzero_exit, "the program exits with status " + std::to_string(status));
  } else if (!in_execution || how == Exit::at_once || !leaks.find()) {
    finish(End::finished);
  }
  return Next::over;
}

}  // namespace thrum::vm
