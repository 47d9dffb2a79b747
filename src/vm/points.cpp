// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scheduling points: which thread runs, and how an execution begins and ends. The rules are those of
// docs/semantics.md.
#include <algorithm>
#include <cfenv>
#include <limits>

#include "objects/objects.hpp"
#include "support/check.hpp"
#include "vm/externals.hpp"
#include "vm/machine.hpp"
#include "vm/race_names.hpp"

namespace thrum::vm {

namespace {

constexpr std::uint64_t kHour = 3'600'000'000'000;

// While a thread's code runs, floating-point operations are rounded as it has chosen.
class RoundingOf {
 public:
  explicit RoundingOf(const Thread& thread) {
    if (thread.rounding != FE_TONEAREST) std::fesetround(thread.rounding);
  }
  ~RoundingOf() {
    if (std::fegetround() != FE_TONEAREST) std::fesetround(FE_TONEAREST);
  }
  RoundingOf(const RoundingOf&) = delete;
  RoundingOf& operator=(const RoundingOf&) = delete;
};

// What the operation takes if that is free.
// The access of a pending operation to its object, as far as plain accesses go together with it.
SharedWords::Access access_of(Operation operation) {
  switch (operation) {
    case Operation::racy_load: return SharedWords::Access::plain_read;
    case Operation::racy_store:
    case Operation::racy_free: return SharedWords::Access::plain_write;
    case Operation::load: return SharedWords::Access::atomic_read;
    default: return SharedWords::Access::atomic_write;
  }
}

Wait needs_of(Operation operation, Wait wait) {
  switch (operation) {
    case Operation::try_lock: return Wait::lock;
    case Operation::try_shared_lock: return Wait::shared_lock;
    case Operation::semaphore_try_wait: return Wait::semaphore;
    case Operation::lock:
    case Operation::shared_lock:
    case Operation::semaphore_wait: return wait;
    default: return Wait::nothing;
  }
}

}  // namespace

// The beginning.

void Machine::start_main() {
  Course& all = change_course();
  all.created = all.slots_used = 1;
  Thread& main = thread(0);
  main = {};
  main.bottom = &at<Frame>(kFrames) + 1;
  main.top = main.unsaved = main.bottom - 1;
  main.life = Life::unsettled;
  begin_storage(main);
  insert_live(0);
}

void Machine::begin_storage(Thread& thread) {
  const std::vector<std::uint8_t>& content = code.thread_local_content;
  if (content.empty()) return;
  memory.copy(thread.local_storage(), content.data(), content.size());
  memory.set_shadow(thread.local_storage(), content.size(), kAddressable | kDefined);
}

void Machine::prepare() {
  early_.clear();
  trace = &early_;
  steps_left = std::numeric_limits<std::uint64_t>::max();
  start_main();
  begin_step(thread(0));
  if (go_on_at_end(thread(0))) return;
  while (!over && !wants_to_begin_) {
    const Stop stop = run_current();
    THRUM_CHECK(stop == Stop::over || stop == Stop::begins || current().fault != 0);
    if (stop == Stop::begins) break;
  }
  if (over) return;
  is_prepared_ = true;
  memory.keep_log();
  beginning_ = memory.mark();
}

void Machine::execute(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& result) {
  earlier_.reset();
  livelocks_.begin_plan();
  leaks.begin_plan(advisor == nullptr ? &plan : nullptr);
  execute_until_known(plan, advisor, wanted, result);
  if (leaks.wants_again()) {
    leaks.begin_again();
    execute_until_known(plan, advisor, wanted, result);
  }
  if (!earlier_ || !wanted.has(Wanted::kPlaces)) return;
  recognises_ = true;
  execute_until_known(plan, advisor, wanted, result);
  recognises_ = false;
}

// It begins again where something has to be known of its loops.
void Machine::execute_until_known(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& result) {
  do {
    execute_once(plan, advisor, wanted, result);
  } while (begins_again_);
  if (!spins_.went_on_unseen()) return;
  restarts_search = true;
  result.end = End::uncontrolled;
}

void Machine::begin_execution(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& result) {
  recognised_.reset();
  trace = &result;
  running_plan = &plan;
  memory.undo(beginning_);
  output.resize(course().output);
  director.begin(plan, advisor, wanted, result);
  if (course().passes_over) director.pause();
  over = false;
  told_to_end = ToldToEnd::no;
  refused.clear();
  allocations_.clear();
  exit_stacks_.clear();
  blocked_at_exit.clear();
  freed_.clear();
  in_execution = true;
  judges = settings.judges_races && !settings.visits_states;
  records_footprints = wanted.has(Wanted::kFootprints);
  footprints_.begin();
  if (judges) {
    race_marks_ = 0;
    races.begin_execution();
    foreign_.clear();
    allowed_.resize(allowed_before_);
    race_names_.assign(1, kMainThread);
  }
  blocks_ = plan.policy.rounds != Rounds::repeat;
  spins_.begin(!settings.visits_states, plan.policy.waiting == Waiting::values);
  idle_rounds_.begin(plan.policy.waiting, begins_again_);
  livelocks_.begin();
  states_.begin(spins_.needs_states() || idle_rounds_.is_noting());
  attentive_ = records_footprints || recognises_ || known_races.count() != 0 || idle_rounds_.is_noting() ||
               settings.visits_states;
  steps_left = steps_granted_ =
      settings.visits_states ? settings.steps : idle_rounds_.steps_to_trial(settings.steps);
  trial_ = {};
  begins_again_ = false;
  if (choice_watch != nullptr) choice_watch->begin_execution();
  clears_frames_ = choice_watch != nullptr || spins_.needs_states() || idle_rounds_.is_noting() ||
                   livelocks_.is_watching();
  ++marks_;
  begin_step(thread(0));
  change_course();
}

void Machine::execute_once(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& result) {
  begin_execution(plan, advisor, wanted, result);
  run_threads(false);
  result.last = current().id;
  if (records_events()) note_pending();
  if (result.end == End::finished || result.end == End::bug) director.finish();
  result.counts.steps = steps_granted_ - steps_left;
  steps_left = settings.steps - result.counts.steps;
  result.counts.points = course().points;
  result.counts.threads = course().created;
  if (wanted.has(Wanted::kPlaces)) result.details.known_races = names_of(known_races);
  in_execution = judges = attentive_ = false;
}

// The thread is about to change, for the first time since the mark.
void Machine::begin_step(Thread& thread) {
  change(thread);
  stepped_[thread.slot] = marks_;
  thread.unsaved = thread.top + 1;
  if (thread.top >= thread.bottom) save_frame(thread, *thread.top);
}

void Machine::run_threads(bool is_at_choice) {
  while (!over) {
    const Stop stop = is_at_choice ? Stop::ended : run_current();
    switch (stop) {
      case Stop::over: return;
      case Stop::begins: break;
      case Stop::started: {
        const std::uint16_t parent = course().current;
        push_unsettled(parent);
        course().current = started;
        break;
      }
      case Stop::arrived:
      case Stop::ended: {
        if (course().unsettled_count != 0) {
          course().current = unsettled()[--course().unsettled_count];
          break;
        }
        if (!std::exchange(is_at_choice, false) && choice_watch != nullptr && choice_watch->stops_at_choice())
          return;
        Thread* const next = pick();
        if (next == nullptr || !let(*next)) return;
        break;
      }
      case Stop::checked: break;
    }
  }
}

// The thread that was chosen goes on. False: the execution is over.
bool Machine::let(Thread& chosen) {
  Thread* next = &change(chosen);
  course().current = next->slot;
  while (next->is_timer) {
    states_.note_run(*next);
    if (Thread* const child = timers.expire(*next)) {
      course().current = child->slot;
      return true;
    }
    next = over ? nullptr : pick();
    if (next == nullptr) return false;
    change(*next);
    course().current = next->slot;
  }
  if (via_ == Via::signal || via_ == Via::signal_first) {
    note_hidden_change();
    if (stepped_[next->slot] != marks_) begin_step(*next);
    states_.note_run(*next);
    return interrupt(*next, via_ == Via::signal_first) != Next::over;
  }
  if (next->wait == Wait::spin && records_events()) note_watches(*next);
  next->life = Life::unsettled;
  next->wait = Wait::nothing;
  return true;
}

Stop Machine::run_current() {
  Thread& me = current();
  const RoundingOf rounding(me);
  if (stepped_[me.slot] != marks_) begin_step(me);
  states_.note_run(me);
  if (__builtin_expect(inputs.are_drawn, 0) && in_execution && !has_chosen_inputs()) {
    if (const std::optional<Stop> stop = choose_inputs(me)) return *stop;
  }
  if (__builtin_expect(me.fault != 0, 0) && !handle_fault(me)) return Stop::over;
  if (me.in_call) {
    switch (call_external(me)) {
      case Next::arrived: return Stop::arrived;
      case Next::started: return Stop::started;
      case Next::ended: return Stop::ended;
      case Next::over: return Stop::over;
      case Next::begins: return Stop::begins;
      default: break;
    }
  }
  if (over) return Stop::over;
  if (me.top < me.bottom) {
    if (const std::optional<Stop> stop = end_thread()) return *stop;
  }
  return over ? Stop::over : settings.loop(this, &me, nullptr);
}

// The lists of threads.

void Machine::insert_live(std::uint16_t slot) {
  memory.note(reinterpret_cast<std::uint64_t>(live().data()), (live().size() + 1) * sizeof(std::uint16_t));
  Course& all = change_course();
  std::uint16_t* const begin = live().data();
  std::uint16_t* const end = begin + all.live_count;
  std::uint16_t* const place = std::find_if(
      begin, end, [&](std::uint16_t other) { return names.before(thread(slot).id, thread(other).id); });
  std::copy_backward(place, end, end + 1);
  *place = slot;
  ++all.live_count;
}

void Machine::remove_live(std::uint16_t slot) {
  memory.note(reinterpret_cast<std::uint64_t>(live().data()), live().size() * sizeof(std::uint16_t));
  Course& all = change_course();
  std::uint16_t* const begin = live().data();
  std::uint16_t* const end = begin + all.live_count;
  std::copy(std::find(begin, end, slot) + 1, end, std::find(begin, end, slot));
  --all.live_count;
}

void Machine::push_unsettled(std::uint16_t slot) {
  Course& all = change_course();
  ++all.unsettled_count;
  memory.put(unsettled().back(), slot);
}

// Arrivals.

void Machine::end_of_steps() {
  if (idle_rounds_.turns_at(steps_granted_)) {
    begins_again_ = over = true;
  } else {
    finish(End::steps);
  }
}

bool Machine::arrive(Operation operation, std::uint64_t object, std::uint32_t size, Wait wait) {
  if (!stand_before(operation, object, size, wait)) return false;
  wait_in_loop(current());
  if (operation == Operation::yield && current().wait == Wait::nothing && !over) look_for_livelock(current());
  return !over;
}

bool Machine::stand_before(Operation operation, std::uint64_t object, std::uint32_t size, Wait wait) {
  if (--steps_left == 0) {
    end_of_steps();
    return false;
  }
  Thread& me = current();
  me.operation = operation;
  me.object = object;
  me.size = size;
  me.code = code_of(me);
  me.wait = wait;
  me.needs = needs_of(operation, wait);
  me.timed = me.timed_out = me.interrupted = me.cancelled = false;
  if (__builtin_expect(settings.visits_states, 0))
    shared_words.note(me.slot, object, std::max(size, 4U), access_of(operation));
  if (me.atomic_depth != 0) {
    if (!is_enabled(me)) fail(BugKind::lock_misuse, "blocks inside an atomic section");
    return false;
  }
  me.life = Life::standing;
  return true;
}

bool Machine::arrive_until(Operation operation, std::uint64_t object, Wait wait, std::uint64_t deadline_ns) {
  if (!stand_before(operation, object, 0, wait)) {
    if (!over) fail(BugKind::lock_misuse, "blocks inside an atomic section");
    return false;
  }
  Thread& me = current();
  me.woken = false;
  spins_.note_wait(me);
  if (idle_rounds_.is_noting()) idle_rounds_.note_wait(me);
  set_deadline(me, deadline_ns);
  me.wait_order = ++change_course().wait_order;
  me.woken_by = 0;
  me.has_deadline = me.timed;
  me.cancelled = me.at_cancellation_point && me.cancellation.acts();
  if (operation == Operation::sleep) look_for_livelock(me);
  return !over;
}

void Machine::done(bool changes, std::uint64_t value, std::uint64_t operand, Outcome outcome) {
  Thread& me = current();
  if (!in_execution) return;
  if (changes) {
    spins_.note_change(me);
    spins_.note_write(me.object, me.size);
    if (trial_.thread == &me && !idle_rounds_.is_on()) finish(End::waiting);
  } else {
    note_read(me, value);
  }
  if (__builtin_expect(idle_rounds_.is_noting(), 0)) note_for_idle_rounds(me, changes, value, outcome);
  if (judges) synchronise(me, value, operand, outcome);
  if (over) return;
  if (me.atomic_depth != 0) {  // the section is the event
    if (records_events()) record_access(me, me.operation, changes, me.object, me.size);
    return;
  }
  course().last = me.slot;
  if (records_events()) record(me, value, operand, outcome);
  ++me.events;
}

void Machine::done_by_timeout() {
  Thread& me = current();
  const auto waited = static_cast<std::uint64_t>(me.operation);
  me.operation = Operation::timeout;
  done(true, 0, waited, Outcome::timed_out);
}

void Machine::record(Thread& me, std::uint64_t value, std::uint64_t operand, Outcome outcome) {
  Event& event = trace->events.emplace_back();
  event.object = me.object;
  event.value = value;
  event.operand = operand;
  event.code = me.code;
  event.index = me.events;
  event.thread = me.id;
  event.operation = me.operation;
  event.outcome = outcome;
  event.size = me.size;
  switch (event.operation) {
    case Operation::read_modify_write:
    case Operation::compare_exchange:
    case Operation::signal:
    case Operation::futex_wake:
    case Operation::thread_create:
    case Operation::thread_join:
      event.argument = me.argument;
      event.update = me.update;
      break;
    case Operation::wait_reacquire:
    case Operation::futex_return:
    case Operation::barrier_leave: event.woken_by = me.woken_by; break;
    default: break;
  }
  event.timed = me.has_deadline && me.length_ns <= settings.early_timeouts_ns;
  event.has_deadline = me.has_deadline;
  event.forced = me.forced;
  me.has_deadline = me.forced = false;
  if (!director.records_places()) return;
  trace->details.places.push_back(
      {described_place(event.object), described_place(value), described_place(operand), stack_of(me)});
}

void Machine::note_in_trace(Operation operation, const Thread& other) {
  if (!records_events() || !in_execution) return;
  Thread& me = current();
  me.operation = operation;
  me.object = other.object_address();
  me.size = 0;
  me.code = code_of(me);
  me.argument = other.id;
  record(me, 0, 0, Outcome::done);
}

// Which threads may go on.

bool Machine::is_enabled(const Thread& thread) const {
  if (thread.timed_out || thread.woken_spuriously) return true;
  switch (thread.wait) {
    case Wait::nothing: return true;
    case Wait::lock: return lock_is_free(thread.object);
    case Wait::shared_lock: return shared_lock_is_free(thread.object);
    case Wait::spin_lock: return spin_lock_is_free(thread.object);
    case Wait::semaphore: return state_at<SemaphoreState>(thread.object).count != 0 || thread.cancelled;
    case Wait::once: return !once_is_running(thread.object);
    case Wait::guard: return !guard_is_running(thread.object);
    case Wait::wakeup: return thread.woken || thread.cancelled;
    case Wait::deadline:
    case Wait::join: return thread.cancelled;
    case Wait::ended: return Machine::thread(thread.joined).life == Life::ended || thread.cancelled;
    case Wait::signal: return (Signals::pending(thread) & thread.signals) != 0 || thread.cancelled;
    case Wait::handlers: return !Signals::has_own(thread);
    case Wait::spin: return is_released(thread) && can_take(thread);
    case Wait::nothing_more: return false;
  }
  return false;
}

Thread* Machine::pick() {
  if (__builtin_expect(told_to_end == ToldToEnd::by_time, 0)) {
    finish(End::time);
    return nullptr;
  }
  if (__builtin_expect(course().invariants != 0, 0) && trial_.thread == nullptr && !check_invariants())
    return nullptr;
  ++change_course().points;
  via_ = Via::run;
  if (__builtin_expect(trial_.thread != nullptr, 0)) return go_on_in_trial();
  Thread& last = thread(course().last);
  if (__builtin_expect(Signals::any_pending(), 0) && last.life == Life::standing && is_signalled(last)) {
    point_.key = {last.id, ChoiceKind::thread, last.events};
    return choose_thread(true, false);
  }
  const bool last_enabled = last.life == Life::standing && is_enabled(last);
  const bool yielded = last_enabled && last.operation == Operation::yield;
  point_.key = {last.id, ChoiceKind::thread, last.events};
  if (last_enabled && !yielded && director.quiet(point_.key) && choice_watch == nullptr) return &last;
  return choose_thread(last_enabled, yielded);
}

Thread* Machine::choose_thread(bool last_enabled, bool yielded) {
  collect_options(thread(course().last));
  const bool is_stuck = options.empty();
  if (is_stuck) {
    if (blocks_ && director.left() > 0) {
      finish(director.unfollowed());
      return nullptr;
    }
    if (Thread* const waiting = release_waiting()) {
      change(*waiting).forced = true;
      return waiting;
    }
    if (advance_for_spinners()) collect_options(thread(course().last));
    if (options.empty()) return end_stuck();
  }
  point_.running_enabled = last_enabled;
  point_.yielded = yielded;
  point_.step = course().points - 1;
  const std::uint16_t taken = ask(point_);
  if (taken == Director::kStop) {
    over = true;
    return nullptr;
  }
  Thread& next = change(*option_threads_[taken]);
  next.forced = next.forced || is_stuck;
  via_ = options[taken].via;
  switch (via_) {
    case Via::timeout:
    case Via::expiry:
      next.timed_out = true;
      advance_clock(next.deadline_ns);
      break;
    case Via::spurious:
      next.woken_spuriously = true;
      note_hidden_change();
      next.others_when_spurious = events_of_others(next);
      break;
    default: break;
  }
  return &next;
}

void Machine::collect_options(const Thread& last) {
  options.clear();
  option_threads_.clear();
  point_.round = 0;
  bool round_found = false;
  const bool are_signals = Signals::any_pending();
  for (std::uint16_t slot : live()) {
    Thread& one = thread(slot);
    if (one.life != Life::standing) continue;
    const bool handles = are_signals && Signals::deliverable(one) != 0;
    if (!handles && !is_enabled(one)) continue;
    if (!round_found && names.before(last.id, one.id)) {
      point_.round = static_cast<std::uint16_t>(options.size());
      round_found = true;
    }
    options.push_back({one.id, handles ? Via::signal : Via::run});
    option_threads_.push_back(&one);
  }
  point_.enabled = static_cast<std::uint16_t>(options.size());
  if (are_signals) collect_late_runs();
  collect_timeouts();
  if (!settings.spurious || options.empty()) return;
  for (std::uint16_t slot : live()) {
    Thread& one = thread(slot);
    if (one.life != Life::standing || one.wait != Wait::wakeup || one.woken || one.cancelled || one.lock == 0)
      continue;
    if (one.others_when_spurious != Thread::kNever && one.others_when_spurious == events_of_others(one))
      continue;
    options.push_back({one.id, Via::spurious});
    option_threads_.push_back(&one);
  }
}

// The threads that handle a signal may do something before it arrives; or their wait, which it ends, begins
// after it.
void Machine::collect_late_runs() {
  for (std::size_t i = 0; i < point_.enabled; ++i) {
    if (options[i].via != Via::signal) continue;
    Thread& one = *option_threads_[i];
    const bool runs = is_enabled(one);
    if (!runs && (one.in_kernel || !ends_by_signal(one))) continue;
    options.push_back({one.id, runs ? Via::run : Via::signal_first});
    option_threads_.push_back(&one);
  }
}

std::uint64_t Machine::events_of_others(const Thread& of) const {
  std::uint64_t count = course().events_of_former;
  for (std::uint32_t slot = 0; slot < course().slots_used; ++slot) count += thread(slot).events;
  return count - of.events;
}

// Time.

void Machine::set_deadline(Thread& thread, std::uint64_t deadline_ns) {
  thread.timed = deadline_ns != kNoDeadline;
  thread.deadline_ns = deadline_ns;
  thread.length_ns = deadline_ns > course().now_ns ? deadline_ns - course().now_ns : 0;
}

bool Machine::is_late(const Thread& thread) const {
  return thread.timed && thread.length_ns > settings.early_timeouts_ns &&
         thread.deadline_ns > course().now_ns;
}

bool Machine::is_endless(const Thread& thread) const {
  return is_late(thread) && thread.wait != Wait::deadline && thread.length_ns >= kHour;
}

bool Machine::may_time_out(const Thread& thread, bool idle) const {
  if (!thread.timed || thread.life != Life::standing || is_enabled(thread)) return false;
  if (is_late(thread) && (!idle || is_endless(thread))) return false;
  return !thread.is_timer || timers.may_expire(thread, idle);
}

void Machine::collect_timeouts() {
  const bool idle = options.empty();
  std::uint64_t latest = std::numeric_limits<std::uint64_t>::max();
  if (idle) {
    int deadlines = 0;
    for (std::uint16_t slot : live()) {
      const Thread& one = thread(slot);
      if (!may_time_out(one, idle)) continue;
      latest = std::min(latest, one.deadline_ns);
      ++deadlines;
    }
    if (deadlines > 1) trace->compares_deadlines = true;
  }
  for (std::uint16_t slot : live()) {
    Thread& one = thread(slot);
    if (!may_time_out(one, idle) || one.deadline_ns > latest) continue;
    options.push_back({one.id, one.is_timer ? Via::expiry : Via::timeout});
    option_threads_.push_back(&one);
  }
}

// Choices that an operation makes.

std::uint16_t Machine::choose(ChoiceKind kind) {
  if (kind == ChoiceKind::value) note_hidden_change();
  note_change(current());
  ChoicePoint point;
  point.key = {current().id, kind, current().events};
  point.step = course().points;
  const std::uint16_t taken = ask(point);
  if (taken == Director::kStop) {
    over = true;
    return 0;
  }
  if (current().atomic_depth != 0) {
    ++current().events;  // the section is one event, and may choose again
    if (records_events()) record_access(current(), Operation::choose, false, 0, 0);
  }
  return taken;
}

std::uint16_t Machine::choose_value(std::uint16_t count) {
  options.clear();
  for (std::uint16_t value = 0; value < count; ++value) options.push_back({value, Via::run});
  return choose(ChoiceKind::value);
}

std::uint32_t Machine::wake(std::uint64_t object, Operation sleeping, std::uint32_t most) {
  struct Sleeper {
    Standing* standing;
    ThreadId id;
  };
  std::vector<Sleeper> waiters;
  const auto sleeps = [object, sleeping](const Standing& one) {
    return one.wait == Wait::wakeup && !one.woken && one.object == object && one.operation == sleeping;
  };
  for (std::uint16_t slot : live()) {
    Thread& one = thread(slot);
    if (one.life == Life::standing && sleeps(one)) {
      waiters.push_back({&change(one), one.id});
      continue;
    }
    // One that runs a handler goes on waiting behind it.
    for (std::uint32_t number = one.handlers; number-- > 0;) {
      const Handling& back = Signals::looked_at(one, number);
      if (!back.is_between || !sleeps(back.before)) continue;
      waiters.push_back({&signals.handling(one, number).before, one.id});
      break;
    }
  }
  std::sort(waiters.begin(), waiters.end(), [](const Sleeper& a, const Sleeper& b) {
    return a.standing->wait_order < b.standing->wait_order;
  });
  if (most == 1 && waiters.size() > 1) {
    options.clear();
    for (const Sleeper& waiter : waiters) options.push_back({waiter.id, Via::run});
    std::swap(waiters[0], waiters[choose(ChoiceKind::waiter)]);
  }
  current().argument = most == 1 && !waiters.empty() ? waiters[0].id + std::uint64_t{1} : 0;
  const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(most, waiters.size()));
  for (std::uint32_t i = 0; i < count; ++i) {
    Standing& waiter = *waiters[i].standing;
    waiter.woken = true;
    waiter.timed = false;
    waiter.woken_by = course().points;
    if (waiter.lock == 0) continue;
    waiter.wait = Wait::lock;  // after a condition wait it needs its mutex again
    waiter.object = waiter.lock;
  }
  return count;
}

// What others see.

std::span<const PendingOperation> Machine::pending() {
  pending_.clear();
  for (std::uint16_t slot : live()) {
    const Thread& one = thread(slot);
    if (one.life != Life::standing) continue;
    PendingOperation& next = pending_.emplace_back();
    next.thread = one.id;
    next.operation = one.operation;
    const bool handles = is_signalled(one);
    next.enabled = handles || is_enabled(one);
    next.via = handles ? Via::signal : Via::run;
    next.sleeps =
        one.wait == Wait::spin || one.wait == Wait::nothing_more || (one.wait == Wait::wakeup && !one.woken);
    next.timed = one.has_deadline && one.length_ns <= settings.early_timeouts_ns;
    next.has_deadline = one.has_deadline;
    next.size = one.size;
    next.object = one.object;
    next.operand = one.lock != 0 ? one.lock : one.object;
    if (one.wait == Wait::nothing_more) next.operand = one.code;
    if (one.wait == Wait::join) next.operand = thread(one.joined).id;
    next.woken_by = one.woken_by;
  }
  return pending_;
}

void Machine::note_pending() {
  const std::span<const PendingOperation> left = pending();
  trace->pending.assign(left.begin(), left.end());
}

std::uint64_t Machine::place(ThreadId id) const {
  for (std::uint16_t slot : live()) {
    if (thread(slot).id == id) return thread(slot).code;
  }
  return 0;
}

}  // namespace thrum::vm
