// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/threads/scheduler.hpp"

#include <algorithm>
#include <utility>

#include "objects/objects.hpp"
#include "runtime/base/engine.hpp"
#include "runtime/base/notes.hpp"
#include "runtime/kernel/signals.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/threads/focus.hpp"
#include "runtime/threads/hooks.hpp"
#include "runtime/threads/record.hpp"
#include "runtime/threads/round_detector.hpp"
#include "runtime/threads/thread_pool.hpp"
#include "support/check.hpp"

namespace thrum {

constinit Forever<Scheduler> the_scheduler;

Thread& running_thread() { return scheduler().current(); }
std::span<Thread* const> live_threads() { return scheduler().live(); }
const Thread* thread_in_slot(std::uint32_t slot) {
  return slot < scheduler().slots_used() ? &scheduler().thread_in_slot(slot) : nullptr;
}

namespace {

// Whether handling its pending signal ends the thread's wait: EINTR.
bool ends_by_signal(const Thread& thread) {
  switch (thread.operation) {
    case Operation::sleep:
    case Operation::signal_accept:
    case Operation::signal_wait: return true;
    case Operation::semaphore_wait:
    case Operation::futex_return: return !next_handler_restarts(thread);
    default: return false;
  }
}
}  // namespace

void Scheduler::start_main() {
  slots_.push_back(std::make_unique<Thread>());
  course_.current = course_.last = slots_[0].get();
  course_.live.assign(1, course_.current);
  spins_.add_thread(0);
}

void Scheduler::reset() {
  static_cast<Counts&>(course_) = {};
  course_.current = course_.last = slots_[0].get();
  course_.live.assign(1, course_.current);
  course_.yields.clear();
  unsettled_.clear();
  released_ = nullptr;
  spins_.reset();
  spins_.begin(!awaits_.is_on() || awaits_.knows_loops());
  awaits_.reset();
  trial_ = {};
  goes_on_ = false;
  begin_livelock_watch();
}

void Scheduler::save(Moment& moment) const {
  moment.course = course_;
  moment.threads.resize(course_.slots_used);
  for (std::uint16_t slot = 0; slot < course_.slots_used; ++slot) moment.threads[slot].become(*slots_[slot]);
  spins_.save(moment.spins);
  if (awaits_.is_on()) awaits_.save(moment.awaits);
}

void Scheduler::restore(const Moment& moment) {
  course_ = moment.course;
  for (std::uint16_t slot = 0; slot < course_.slots_used; ++slot) slots_[slot]->become(moment.threads[slot]);
  spins_.restore(moment.spins);
  if (awaits_.is_on()) awaits_.restore(moment.awaits);
}

// After a switch the processor mispredicts each return up to the program's code: it expects the returns of
// the stack that was left. So everything in between is one inlined function, and arrive() does nothing after
// a switch. It ends in a jump to the switch, and the next thread goes on at once behind its own call of
// arrive().

[[gnu::always_inline]] inline void Scheduler::settle_writes() {
  if (!world.wrote) return;
  world.wrote = false;
  spins_.note_change(*course_.current);
  if (__builtin_expect(round_detector().is_on(), 0)) round_detector().note_opaque(*course_.current);
  if (__builtin_expect(awaits_.is_on(), 0)) awaits_.note_change(*course_.current);
}

[[gnu::always_inline]] inline void Scheduler::run(Thread& thread) {
  Thread& from = *course_.current;
  course_.current = &thread;
  spins_.note_switch();
  if (__builtin_expect(world.logs_accesses, 0)) round_detector().note_switch();
  the_heap.use_region(thread.slot);
  switch_to(from.context, thread.context, thread.fs_base);
}

// The thread may do its pending operation.
[[gnu::always_inline]] inline void Scheduler::let(Thread& thread) {
  thread.life = Life::unsettled;
  thread.wait = Wait::nothing;
  if (&thread != course_.current) run(thread);
}

// A thread in the middle of a stretch goes on.
[[gnu::always_inline]] inline void Scheduler::run_unsettled() {
  Thread& next = *unsettled_.back();
  unsettled_.pop_back();
  run(next);
}

// Runs the threads that are in the middle of a stretch first; then asks which thread is next. Returns when it
// is this thread's turn again.
[[gnu::always_inline]] inline void Scheduler::stand(Thread& thread) {
  settle_writes();
  if (__builtin_expect(world.attention, 0)) return stand_attentively(thread);
  thread.life = Life::standing;
  if (unsettled_.empty()) return let(pick());
  run_unsettled();
}

// The same if events are recorded or a signal is pending.
[[gnu::noinline]] void Scheduler::stand_attentively(Thread& thread) {
  if (__builtin_expect(goes_on_, 0)) leave_aside();
  if (world.recording) {
    if (engine.records_values) end_stretch_of_values();
    note_stack(thread);
  }
  if (__builtin_expect(livelock_watch.on, 0)) watch_standing(thread, __builtin_dwarf_cfa());
  thread.life = Life::standing;
  if (unsettled_.empty()) return let(pick_attentively());
  run_unsettled();
}

[[noreturn, gnu::cold, gnu::noinline]] void fail_in_section(const Thread& thread) {
  if (world.recording) record_access(thread, thread.operation, false, thread.object, thread.size);
  fail({BugKind::lock_misuse, "blocks inside an atomic section", thread.id, thread.code, {}});
}

[[gnu::always_inline]] inline void Scheduler::arrive_here(Operation operation, std::uint64_t object,
                                                          std::uint32_t size, std::uint64_t code, Wait wait,
                                                          Wait needs) {
  count_step();
  Thread& me = *course_.current;
  me.operation = operation;
  me.object = object;
  me.size = size;
  me.code = code;
  me.wait = wait;
  me.needs = needs;
  me.timed = false;
  me.timed_out = false;
  if (me.atomic_depth != 0) {
    if (!enabled(me)) fail_in_section(me);
    return;
  }
  stand(me);
}

void Scheduler::arrive(Operation operation, std::uint64_t object, std::uint32_t size, std::uint64_t code,
                       Wait wait) {
  arrive_here(operation, object, size, code, wait);
}

void Scheduler::clear_stack(const Thread& thread, char* end) const {
  SpinDetector::clear_stack(thread, end, cleared_depth());
}

void Scheduler::settle_changes() { settle_writes(); }

// The same if the execution is watched.
[[gnu::noinline]] bool Scheduler::comes_by_idle_round(Thread& me, std::uint64_t code) {
  if (me.atomic_depth != 0 || spins_.no_spins().has(code)) return false;
  if (!round_detector().arrive(me, code, thrum_caller)) return false;
  if (!round_detector().unproved(me, code) || loop_is_released(me)) return true;
  begin_proof(me, code, thrum_caller);
  return false;
}

// Whether the running thread comes back to the operation by a round of a waiting loop, and so waits. Used in
// scheduler_awaits.cpp too.
[[gnu::always_inline, gnu::used]] inline bool Scheduler::comes_to_spin(Thread& me, std::uint64_t code) {
  // In place: a copy would wait for the entry's stores (docs/experiments/011-waiting-loops.md).
  const CallerState& caller = thrum_caller;
  settle_writes();
  if (__builtin_expect(proof_.thread != nullptr, 0)) continue_proof(me, code, caller);
  if (__builtin_expect(world.logs_accesses, 0)) {
    const bool waits = comes_by_idle_round(me, code);
    if (round_detector().is_on()) return waits;
  }
  SpinDetector::Arrival arrival =
      me.atomic_depth == 0 ? spins_.arrive(me, code, caller) : SpinDetector::Arrival::ordinary;
  if (arrival == SpinDetector::Arrival::start_anew) start_anew();
  if (__builtin_expect(arrival == SpinDetector::Arrival::spins && spins_.unproved(me, code), 0)) {
    begin_proof(me, code, caller);
    return false;
  }
  return arrival == SpinDetector::Arrival::spins;
}

[[gnu::always_inline]] inline void Scheduler::arrive_to_spin(Operation operation, std::uint64_t object,
                                                             std::uint32_t size, std::uint64_t code,
                                                             Wait needs) {
  std::uint32_t points = course_.points;
  arrive_here(operation, object, size, code, Wait::spin, needs);
  if (__builtin_expect(world.recording, 0)) note_watches(*course_.current);
  if (course_.points != points + 1) course_.ran_beside_spinner = true;
}

// The same as wait_in_loop() where most threads are most of the time: in no loop that waits.
[[gnu::always_inline]] inline bool Scheduler::arrives_outside_loops(Thread& me, Operation operation,
                                                                    std::uint64_t object, std::uint32_t size,
                                                                    std::uint64_t code) {
  settle_writes();
  if (proof_.thread != nullptr || world.logs_accesses || me.atomic_depth != 0 || goes_on_ || holds_steps() ||
      signals().used())
    return false;
  me.operation = operation;
  me.object = object;
  me.size = size;
  return awaits_.arrive_outside_loops(me, code, thrum_caller, spins_.switches());
}

void Scheduler::arrive_in_loop(Operation operation, std::uint64_t object, std::uint32_t size,
                               std::uint64_t code) {
  if (awaits_.is_on()) {
    if (arrives_outside_loops(*course_.current, operation, object, size, code))
      return arrive_here(operation, object, size, code, Wait::nothing);
    const Wait wait = wait_in_loop(operation, object, size, code);
    if (wait == Wait::spin) return arrive_to_spin(operation, object, size, code);
    if (!goes_on_) arrive_here(operation, object, size, code, wait);
    return note_stack_of_reader();
  }
  if (!comes_to_spin(*course_.current, code))
    return arrive_here(operation, object, size, code, Wait::nothing);
  arrive_to_spin(operation, object, size, code);
}

void Scheduler::arrive_to_store(std::uint64_t object, std::uint32_t size, std::uint64_t code) {
  if (awaits_.is_on() && !arrives_outside_loops(*course_.current, Operation::store, object, size, code))
    wait_in_loop(Operation::store, object, size, code);
  arrive_here(Operation::store, object, size, code, Wait::nothing);
}

void Scheduler::arrive_to_take(Operation operation, std::uint64_t object, std::uint64_t code, Wait needs) {
  const bool waits = operation == Operation::lock || operation == Operation::shared_lock ||
                     operation == Operation::semaphore_wait;
  if (awaits_.is_on() && (world.logs_accesses || !waits)) {
    if (arrives_outside_loops(*course_.current, operation, object, 0, code))
      return arrive_here(operation, object, 0, code, Wait::nothing, needs);
    const Wait wait = wait_in_loop(operation, object, 0, code);
    if (goes_on_) leave_aside();
    if (wait == Wait::spin) return arrive_to_spin(operation, object, 0, code, needs);
    const bool stays = wait == Wait::nothing_more;
    return arrive_here(operation, object, 0, code, stays ? wait : waits ? needs : Wait::nothing, needs);
  }
  if (__builtin_expect(!world.logs_accesses, 1)) {
    return waits ? arrive_here(operation, object, 0, code, needs)
                 : arrive_in_loop(operation, object, 0, code);
  }
  if (comes_to_spin(*course_.current, code)) return arrive_to_spin(operation, object, 0, code, needs);
  arrive_here(operation, object, 0, code, waits ? needs : Wait::nothing, needs);
}

bool Scheduler::waits_at_plain_read(std::uint64_t address, std::uint32_t size, std::uint64_t code) {
  Thread& me = *course_.current;
  if (__builtin_expect(proof_.at_plain_read && proof_.thread != nullptr, 0))
    continue_proof(me, code, thrum_caller);
  if (me.atomic_depth != 0 || spins_.no_spins().has(code)) return false;
  if (!round_detector().arrive_at_plain_read(me, code, thrum_caller)) return false;
  if (round_detector().unproved(me, code) && !loop_is_released(me)) {
    begin_proof(me, code, thrum_caller);
    proof_.at_plain_read = true;
    return false;
  }
  arrive_to_spin(Operation::racy_load, address, size, code);
  return true;
}

void Scheduler::arrive_at_yield(std::uint64_t code) {
  if (__builtin_expect(awaits_.is_on(), 0)) {
    const Wait wait = wait_in_loop(Operation::yield, 0, 0, code);
    if (wait == Wait::spin) return arrive_to_spin(Operation::yield, 0, 0, code);
    if (wait == Wait::nothing && awaits_.goes_on(*course_.current)) {
      goes_on_ = world.attention = true;
      return;
    }
    if (wait == Wait::nothing) {
      watch_yield(code);
      count_yield(code);
    }
    return arrive_here(Operation::yield, 0, 0, code, wait == Wait::await ? Wait::nothing : wait);
  }
  if (comes_to_spin(*course_.current, code)) return arrive_to_spin(Operation::yield, 0, 0, code);
  watch_yield(code);
  count_yield(code);
  arrive_here(Operation::yield, 0, 0, code, Wait::nothing);
}

// A thread that yields too often ends the execution, as a false assumption in the program would. So the rest
// is a program in its own right, which every search covers as it covers others. That is why each thread is
// counted separately, and not relative to the threads that it keeps waiting.
void Scheduler::count_yield(std::uint64_t code) {
  const std::uint32_t most = world.job->yields;
  if (most == 0) return;
  give_up_known_end();  // the count is not part of the state
  auto same_place = [&](const YieldCount& count) {
    return count.thread == course_.current->id && count.code == code;
  };
  auto count = std::find_if(course_.yields.begin(), course_.yields.end(), same_place);
  if (count == course_.yields.end()) count = course_.yields.insert(count, {course_.current->id, code, 0});
  if (++count->yields > most) cut_execution(End::yields);
}

bool Scheduler::arrive_until(Operation operation, std::uint64_t object, std::uint64_t code, Wait wait,
                             std::uint64_t deadline_ns) {
  count_step();
  Thread& me = *course_.current;
  me.operation = operation;
  me.object = object;
  me.size = 0;
  me.code = code;
  me.wait = wait;
  me.needs = Wait::nothing;
  me.woken = false;
  set_deadline(me, deadline_ns);
  me.timed_out = false;
  me.interrupted = false;
  me.cancelled = me.at_cancellation_point && me.cancellation.acts();
  me.wait_order = ++course_.wait_order;
  me.woken_by = 0;
  me.has_deadline = me.timed;
  spins_.note_wait(me);
  if (__builtin_expect(world.logs_accesses, 0)) round_detector().note_wait(me);
  if (__builtin_expect(awaits_.is_on(), 0)) note_time(me);
  if (me.atomic_depth != 0) fail_in_section(me);
  const bool late = is_late(me) && !me.timer && !enabled(me);
  if (late) notes().late_wait(code, me.length_ns, false);
  stand(me);
  if (late && me.timed_out) notes().late_wait(code, me.length_ns, true);
  me.timed = false;
  return me.timed_out;
}

[[gnu::always_inline]] inline void Scheduler::note_for_awaits(const Thread& me, Effect effect,
                                                              std::uint64_t value) {
  if (!awaits_.has_state(me) && !is_in_trial()) {
    if (effect == Effect::change) return awaits_.note_change(me);
    if (effect == Effect::read && reads_few_bytes(me)) return awaits_.note_nothing_learned(me);
  }
  note_for_learning(me, effect, value);
}

void Scheduler::done(Effect effect, std::uint64_t value, std::uint64_t operand, Outcome outcome) {
  Thread& me = *course_.current;
  if (__builtin_expect(world.logs_accesses, 0)) note_effect(me, effect, value, outcome);
  if (effect == Effect::change) {
    spins_.note_change(me);
    spins_.note_write(me.object, me.size);
  } else if (effect == Effect::read) {
    if (reads_few_bytes(me) && me.size != 0) {
      spins_.note_value(me, me.object, me.size, value);
    } else {
      spins_.note_read(me, me.object, me.size);
    }
  }
  if (world.judges_races) judge_operation(me, value, operand, outcome);
  if (__builtin_expect(awaits_.is_on(), 0)) note_for_awaits(me, effect, value);
  if (me.atomic_depth != 0) {  // the section is the event
    if (world.recording) record_in_section(me, effect == Effect::change, value);
    return;
  }
  if (world.names_events) name_operation(me, value, operand, outcome);
  course_.last = &me;
  if (__builtin_expect(world.recording, 0)) {
    record_event(me, value, operand, outcome);
    if (livelock_watch.on) tidy_stack();
  }
  ++me.events;
}

void Scheduler::note_write(std::uint64_t object) {
  spins_.note_write(object, 1);
  if (world.logs_accesses) round_detector().note_change_of(object);
}

void Scheduler::note_read(std::uint64_t object) {
  spins_.note_read(*course_.current, object, 1);
  if (world.logs_accesses) round_detector().note_read_of(*course_.current, object);
}

[[gnu::noinline]] void Scheduler::note_effect(const Thread& me, Effect effect, std::uint64_t value,
                                              Outcome outcome) {
  if (effect != Effect::none) round_detector().note_operation(me, effect == Effect::change, value, outcome);
}

void Scheduler::advance_clock(std::uint64_t to_ns) {
  if (course_.now_ns >= to_ns) return;
  course_.now_ns = to_ns;
  spins_.note_write(SpinDetector::kClock, 1);
  round_detector().note_change_of(SpinDetector::kClock);
}

bool Scheduler::loop_is_released(const Thread& thread) const {
  return round_detector().is_on() ? round_detector().released(thread) : spins_.released(thread);
}

bool Scheduler::wait_is_over(const Thread& thread) const {
  switch (thread.wait) {
    case Wait::nothing: return true;
    case Wait::lock: return lock_is_free(thread.object);
    case Wait::shared_lock: return shared_lock_is_free(thread.object);
    case Wait::spin_lock: return spin_lock_is_free(thread.object);
    case Wait::semaphore: return semaphore_count(thread.object) != 0 || thread.cancelled;
    case Wait::once: return !once_is_running(thread.object);
    case Wait::guard: return !guard_is_running(thread.object);
    case Wait::wakeup: return thread.woken || thread.cancelled;
    case Wait::join:
    case Wait::deadline: return thread.cancelled;
    case Wait::ended: return thread.joined->life == Life::ended || thread.cancelled;
    case Wait::signal: return (signals().pending(thread.slot) & thread.signals) != 0 || thread.cancelled;
    case Wait::handlers: return !has_own_signals(thread);
    case Wait::spin: return loop_is_released(thread) && can_take(thread);
    case Wait::await: return !is_refused(thread);
    case Wait::nothing_more: return false;
  }
  return false;
}

// Whether the thread that did the last event goes on without anybody being asked.
[[gnu::always_inline]] inline bool Scheduler::is_quiet(bool last_enabled, bool yielded) const {
  return last_enabled && !yielded && director_.quiet(point_.key);
}

// The only enabled thread, if nobody has to be told of the choice.
[[gnu::always_inline]] inline Thread* Scheduler::only_one() {
  if (world.attention || world.job->spurious || director_.records_events() || trial_.begun) return nullptr;
  Thread* only = nullptr;
  for (Thread* thread : course_.live) {
    if (thread->timed) return nullptr;
    if (thread->life != Life::standing || !enabled(*thread)) continue;
    if (only != nullptr) return nullptr;
    only = thread;
  }
  return only != nullptr && director_.lets_pass(point_.key) ? only : nullptr;
}

Thread& Scheduler::pick() {
  ++course_.points;
  Thread& last = *course_.last;
  bool last_enabled = last.life == Life::standing && enabled(last);
  bool yielded = last_enabled && last.operation == Operation::yield;
  ChoiceKey key{last.id, ChoiceKind::thread, last.events};
  same_key_ = point_.key == key;
  point_.key = key;
  if (__builtin_expect(course_.points == wanted_waypoint.point, 0)) {
    set_waypoint(key, same_key_);
    point_.key = key;
  }
  if (is_quiet(last_enabled, yielded)) return last;
  if (!yielded) {
    if (Thread* only = only_one()) {
      released_ = nullptr;
      return *only;
    }
  }
  return choose_thread(last_enabled, yielded);
}

// The same if a signal may be pending, or there are invariants. With a signal the thread goes on by handling
// the signal.
Thread& Scheduler::pick_attentively() {
  if (__builtin_expect(has_invariants(), 0)) check_invariants();
  Thread& last = *course_.last;
  if (last.life != Life::standing || !signals().any_pending() || !signals().deliverable(last.slot))
    return pick();
  ++course_.points;
  point_.key = {last.id, ChoiceKind::thread, last.events};
  return choose_thread(true, false);
}

Thread& Scheduler::choose_thread(bool last_enabled, bool yielded) {
  if (__builtin_expect(is_in_trial(), 0)) return go_on_in_trial();
  Thread& last = *course_.last;
  collect_options(last);
  const bool stuck = options_.empty();
  if (stuck) {
    give_up_known_end();
    if (awaits_.is_on() && director_.left() > 0) cut_execution(director_.unfollowed());
    if (livelock_shows_rounds()) return end_stuck();
    if (Thread* spinner = release_spinner()) return force(*spinner);
    if (advance_for_spinners()) collect_options(last);
    if (options_.empty() && rounds_changed_memory()) return force(*release_spinner());
    if (options_.empty()) return end_stuck();
  }
  released_ = nullptr;
  if (__builtin_expect(wanted_waypoint.at_first_choice, 0) && options_.size() > 1 && !stuck) {
    const ChoiceKey key = point_.key;
    set_waypoint(key, same_key_);
    point_.key = key;
    if (is_quiet(last_enabled, yielded)) return last;
    collect_options(last);
  }
  point_.running_enabled = last_enabled;
  point_.yielded = yielded;
  point_.step = course_.points - 1;
  std::uint16_t taken = director_.choose(point_, options_, *this);
  if (taken == Director::kStop) end_execution();
  if (director_.records_events() && !world.recording) {
    world.recording = true;
    pay_attention();
  }
  Thread& next = *option_threads_[taken];
  if (stuck) force(next);
  Via via = options_[taken].via;
  if (via == Via::run) return next;
  if (via == Via::timeout || via == Via::expiry) {
    next.timed_out = true;
    advance_clock(next.deadline_ns);
    return next;
  }
  if (via == Via::spurious) {
    next.woken_spuriously = true;
    ++livelock_watch.hidden_changes;  // an execution that needs one again and again has no livelock
    next.others_when_spurious = events_of_others(next);
    return next;
  }
  next.signal_first = via == Via::signal_first;
  next.waited = next.wait;
  if (&next == course_.current) {
    handle_signal_here();
  } else {
    interrupt(next.context);
  }
  return next;
}

// No thread was enabled, so this is not a choice of the schedule.
Thread& Scheduler::force(Thread& thread) {
  thread.forced = true;
  return thread;
}

void Scheduler::collect_options(const Thread& last) {
  options_.clear();
  option_threads_.clear();
  const bool signalled = world.attention && signals().any_pending();
  bool timed = false;
  std::uint16_t round = 0;
  bool round_found = false;
  for (Thread* thread : course_.live) {
    timed = timed || thread->timed;
    if (thread->life != Life::standing) continue;
    bool handles = signalled && signals().deliverable(thread->slot) != 0;
    if (!handles && !enabled(*thread)) continue;
    if (!round_found && world.names->before(last.id, thread->id)) {
      round = static_cast<std::uint16_t>(options_.size());
      round_found = true;
    }
    options_.emplace_back(thread->id, handles ? Via::signal : Via::run);
    option_threads_.push_back(thread);
  }
  point_.enabled = static_cast<std::uint16_t>(options_.size());
  point_.round = round;
  if (signalled) collect_late_runs();
  if (timed) collect_timeouts();
  if (__builtin_expect(world.job->spurious, 0) && !options_.empty()) add_spurious_options();
}

// A signal takes a while to arrive, and its thread may do something first. A signal that would end the
// thread's wait may also have come just before the wait began.
void Scheduler::collect_late_runs() {
  for (std::size_t i = 0; i < point_.enabled; ++i) {
    if (options_[i].via != Via::signal) continue;
    Thread* thread = option_threads_[i];
    bool may_run = enabled(*thread);
    if (!may_run && (thread->in_kernel || !ends_by_signal(*thread))) continue;
    options_.emplace_back(thread->id, may_run ? Via::run : Via::signal_first);
    option_threads_.push_back(thread);
  }
}

// A condition wait may end without a reason, but only while some thread is enabled: a deadlock stays one. It
// does not happen twice in a row: after a spurious wake-up the thread has the next one only when other
// threads have done an event in between. Else a loop around a wait would never end.
void Scheduler::add_spurious_options() {
  for (Thread* thread : course_.live) {
    bool waits = thread->wait == Wait::wakeup && !thread->woken && !thread->cancelled && thread->lock != 0;
    if (!waits || thread->life != Life::standing) continue;
    if (thread->others_when_spurious != Thread::kNever &&
        thread->others_when_spurious == events_of_others(*thread))
      continue;
    options_.emplace_back(thread->id, Via::spurious);
    option_threads_.push_back(thread);
  }
}

std::uint64_t Scheduler::events_of_others(const Thread& thread) const {
  std::uint64_t count = course_.events_of_former;
  for (std::uint16_t slot = 0; slot < course_.slots_used; ++slot) count += slots_[slot]->events;
  return count - thread.events;
}

void Scheduler::start(Thread& child) {
  settle_writes();
  unsettled_.push_back(course_.current);
  run(child);
}

void Scheduler::end_current() {
  Thread& me = *course_.current;
  if (awaits_.is_on() && awaits_.follows_read(me)) arrive_at_end(me);
  me.life = Life::ended;
  me.released = me.detached;
  std::erase(course_.live, &me);
  world.wrote = false;  // what it wrote is no change of the thread that goes on
  spins_.note_change(me);
  if (round_detector().is_on()) round_detector().note_opaque(me);
  if (awaits_.is_on()) awaits_.note_change(me);
  if (trial_.thread == &me || goes_on_) leave_aside();
  signals().end_thread(me.slot);
  for (Thread* thread : course_.live) {
    if (thread->wait == Wait::join && thread->joined == &me) {
      thread->wait = Wait::nothing;
      thread->life = Life::unsettled;
      unsettled_.push_back(thread);
    }
  }
  note_write(object_of(me));
  if (!unsettled_.empty()) return run_unsettled();
  if (!course_.live.empty()) {
    if (only_timers_live()) exit_process(0);
    return let(pick_attentively());
  }
  Thread& main = *slots_[0];
  main.life = Life::unsettled;
  insert_live(main);
  run(main);
}

// The process ends with its last thread, even if timers are still set.
bool Scheduler::only_timers_live() const {
  return std::all_of(course_.live.begin(), course_.live.end(),
                     [](const Thread* thread) { return thread->timer; });
}

bool Scheduler::is_last(const Thread& thread) const {
  return !thread.timer && std::all_of(course_.live.begin(), course_.live.end(),
                                      [&](const Thread* other) { return other == &thread || other->timer; });
}

void Scheduler::handle_signal_here() {
  Thread& me = *course_.current;
  me.wait = me.waited;
  const bool ends_wait = !me.signal_first && !enabled(me) && ends_by_signal(me);
  ++livelock_watch.hidden_changes;
  Standing before = me;
  static_cast<Standing&>(me) = {};
  me.life = Life::unsettled;
  me.outer = &before;
  handle_one_signal(before.code);
  static_cast<Standing&>(me) = before;
  me.signal_first = false;
  settle_writes();
  const bool is_joined = me.wait == Wait::join && me.joined->life == Life::ended;
  // A handler may have changed what its thread's loop reads.
  if (is_joined || ends_wait || me.wait == Wait::spin) me.wait = Wait::nothing;
  if (is_joined) return;
  if (ends_wait) {
    me.interrupted = true;
    return;
  }
  me.cancelled = me.at_cancellation_point && me.cancellation.acts();
  stand(me);
}

void Scheduler::join(Thread& other, std::uint64_t code) {
  Thread& me = *course_.current;
  other.joined_by_someone = true;
  world.wrote = true;  // a loop that joins threads is no spin
  const bool is_in_section = me.atomic_depth != 0;
  if (is_in_section && world.recording) record_access(me, Operation::thread_join, false, object_of(other), 0);
  if (other.life == Life::ended) return;
  me.operation = Operation::thread_join;
  me.object = 0;
  me.code = code;
  if (is_in_section) fail_in_section(me);
  me.wait = Wait::join;
  me.joined = &other;
  me.at_cancellation_point = true;
  me.cancelled = me.timed = false;
  stand(me);
  me.at_cancellation_point = false;
}

std::uint32_t Scheduler::wake(std::uint64_t object, Operation sleeping, std::uint32_t most) {
  std::vector<Sleeper>& waiters = waiters_;
  waiters.clear();
  for (Thread* thread : course_.live) {
    // A thread in a signal handler goes on waiting after the handler.
    for (Standing* standing = thread; standing; standing = standing->outer) {
      if (standing->wait == Wait::wakeup && !standing->woken && standing->object == object &&
          standing->operation == sleeping) {
        waiters.push_back({standing, thread->id});
        break;
      }
    }
  }
  std::sort(waiters.begin(), waiters.end(), [](const Sleeper& a, const Sleeper& b) {
    return a.standing->wait_order < b.standing->wait_order;
  });
  if (most == 1 && waiters.size() > 1) {
    options_.clear();
    for (const Sleeper& waiter : waiters) options_.emplace_back(waiter.thread, Via::run);
    std::swap(waiters[0], waiters[choose(ChoiceKind::waiter)]);
  }
  course_.current->operation_argument =
      most == 1 && !waiters.empty() ? waiters[0].thread + std::uint64_t{1} : 0;
  auto count = static_cast<std::uint32_t>(std::min<std::size_t>(most, waiters.size()));
  for (std::uint32_t i = 0; i < count; ++i) {
    Standing& waiter = *waiters[i].standing;
    waiter.woken = true;
    waiter.timed = false;
    waiter.woken_by = course_.points;
    if (waiter.lock == 0) continue;
    waiter.wait = Wait::lock;  // after a condition wait it needs its mutex again
    waiter.object = waiter.lock;
  }
  return count;
}

std::uint16_t Scheduler::choose_value(std::uint16_t n) {
  ++livelock_watch.hidden_changes;
  options_.clear();
  for (std::uint16_t value = 0; value < n; ++value) options_.emplace_back(value, Via::run);
  world.wrote = true;  // the code after a choice is no spin, whatever it reads
  return choose(ChoiceKind::value);
}

// Chooses among options_, by the last event of the running thread.
std::uint16_t Scheduler::choose(ChoiceKind kind) {
  ChoicePoint point;
  point.key = {course_.current->id, kind, course_.current->events};
  point.step = course_.points;
  std::uint16_t taken = director_.choose(point, options_, *this);
  if (taken == Director::kStop) end_execution();
  if (course_.current->atomic_depth != 0) {
    ++course_.current->events;  // the section is one event, and may choose again
    if (world.recording) record_access(*course_.current, Operation::choose, false, 0, 0);
  }
  return taken;
}

}  // namespace thrum
