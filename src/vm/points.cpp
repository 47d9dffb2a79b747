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
    THRUM_CHECK(stop == Stop::over || stop == Stop::begins);
    if (stop == Stop::begins) break;
  }
  if (over) return;
  is_prepared_ = true;
  memory.keep_log();
  beginning_ = memory.mark();
}

void Machine::execute(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& result) {
  earlier_.reset();
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

void Machine::execute_once(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& result) {
  recognised_.reset();
  trace = &result;
  running_plan = &plan;
  memory.undo(beginning_);
  output.resize(course().output);
  director.begin(plan, advisor, wanted, result);
  over = false;
  told_to_end = ToldToEnd::no;
  refused.clear();
  allocations_.clear();
  exit_stacks_.clear();
  freed_.clear();
  in_execution = true;
  judges = settings.judges_races;
  records_footprints = wanted.has(Wanted::kFootprints);
  footprints_.begin();
  if (judges) {
    races.begin_execution();
    foreign_.clear();
    allowed_.resize(allowed_before_);
    race_names_.assign(1, kMainThread);
  }
  blocks_ = plan.policy.rounds != Rounds::repeat;
  spins_.begin(plan.policy.waiting == Waiting::values);
  idle_rounds_.begin(plan.policy.waiting);
  states_.begin(spins_.needs_states() || idle_rounds_.is_noting());
  attentive_ = records_footprints || recognises_ || known_races.count() != 0 || idle_rounds_.is_noting();
  steps_left = steps_granted_ = idle_rounds_.steps_to_trial(settings.steps);
  trial_ = {};
  begins_again_ = false;
  ++marks_;
  begin_step(thread(0));
  change_course();
  run_threads();
  result.last = current().id;
  if (records_events()) note_pending();
  if (result.end == End::finished || result.end == End::bug) director.finish();
  result.counts.steps = steps_granted_ - steps_left;
  steps_left = settings.steps - result.counts.steps;
  result.counts.points = course().points;
  result.counts.threads = course().created;
  if (wanted.has(Wanted::kPlaces)) result.details.known_races = known_races.places();
  in_execution = judges = attentive_ = false;
}

// The thread is about to change, for the first time since the mark.
void Machine::begin_step(Thread& thread) {
  change(thread);
  thread.unsaved = thread.top + 1;
  if (thread.top >= thread.bottom) save_frame(thread, *thread.top);
}

void Machine::run_threads() {
  while (!over) {
    const Stop stop = run_current();
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
        Thread* const next = pick();
        if (next == nullptr) return;
        change(*next);
        if (next->wait == Wait::spin && records_events()) note_watches(*next);
        next->life = Life::unsettled;
        next->wait = Wait::nothing;
        course().current = next->slot;
        break;
      }
    }
  }
}

Stop Machine::run_current() {
  Thread& me = current();
  const RoundingOf rounding(me);
  if (touched_[me.slot] != marks_) begin_step(me);
  states_.note_run(me);
  if (__builtin_expect(inputs.are_drawn, 0) && in_execution && !has_chosen_inputs()) {
    if (const std::optional<Stop> stop = choose_inputs(me)) return *stop;
  }
  if (me.top < me.bottom) {
    if (const std::optional<Stop> stop = end_thread()) return *stop;
  } else if (me.in_call) {
    switch (call_external(me)) {
      case Next::arrived: return Stop::arrived;
      case Next::started: return Stop::started;
      case Next::ended: return Stop::ended;
      case Next::over: return Stop::over;
      case Next::begins: return Stop::begins;
      default: break;
    }
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
  me.timed = me.timed_out = false;
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
  return true;
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
    case Wait::semaphore: return state_at<SemaphoreState>(thread.object).count != 0;
    case Wait::once: return !once_is_running(thread.object);
    case Wait::guard: return !guard_is_running(thread.object);
    case Wait::wakeup: return thread.woken;
    case Wait::deadline:
    case Wait::join: return false;
    case Wait::ended: return Machine::thread(thread.joined).life == Life::ended;
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
  ++change_course().points;
  if (__builtin_expect(trial_.thread != nullptr, 0)) return go_on_in_trial();
  Thread& last = thread(course().last);
  const bool last_enabled = last.life == Life::standing && is_enabled(last);
  const bool yielded = last_enabled && last.operation == Operation::yield;
  point_.key = {last.id, ChoiceKind::thread, last.events};
  if (last_enabled && !yielded && director.quiet(point_.key)) return &last;
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
  const std::uint16_t taken = director.choose(point_, options, *this);
  if (taken == Director::kStop) {
    over = true;
    return nullptr;
  }
  Thread& next = change(*option_threads_[taken]);
  next.forced = next.forced || is_stuck;
  switch (options[taken].via) {
    case Via::timeout:
      next.timed_out = true;
      advance_clock(next.deadline_ns);
      break;
    case Via::spurious:
      next.woken_spuriously = true;
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
  for (std::uint16_t slot : live()) {
    Thread& one = thread(slot);
    if (one.life != Life::standing || !is_enabled(one)) continue;
    if (!round_found && names.before(last.id, one.id)) {
      point_.round = static_cast<std::uint16_t>(options.size());
      round_found = true;
    }
    options.push_back({one.id, Via::run});
    option_threads_.push_back(&one);
  }
  point_.enabled = static_cast<std::uint16_t>(options.size());
  collect_timeouts();
  if (!settings.spurious || options.empty()) return;
  for (std::uint16_t slot : live()) {
    Thread& one = thread(slot);
    if (one.life != Life::standing || one.wait != Wait::wakeup || one.woken || one.lock == 0) continue;
    if (one.others_when_spurious != Thread::kNever && one.others_when_spurious == events_of_others(one))
      continue;
    options.push_back({one.id, Via::spurious});
    option_threads_.push_back(&one);
  }
}

std::uint64_t Machine::events_of_others(const Thread& of) const {
  std::uint64_t count = 0;
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
  return !is_late(thread) || (idle && !is_endless(thread));
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
    options.push_back({one.id, Via::timeout});
    option_threads_.push_back(&one);
  }
}

// Choices that an operation makes.

std::uint16_t Machine::choose(ChoiceKind kind) {
  note_change(current());
  ChoicePoint point;
  point.key = {current().id, kind, current().events};
  point.step = course().points;
  const std::uint16_t taken = director.choose(point, options, *this);
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
  std::vector<Thread*> waiters;
  for (std::uint16_t slot : live()) {
    Thread& one = thread(slot);
    if (one.life == Life::standing && one.wait == Wait::wakeup && !one.woken && one.object == object &&
        one.operation == sleeping)
      waiters.push_back(&one);
  }
  std::sort(waiters.begin(), waiters.end(),
            [](const Thread* a, const Thread* b) { return a->wait_order < b->wait_order; });
  if (most == 1 && waiters.size() > 1) {
    options.clear();
    for (const Thread* waiter : waiters) options.push_back({waiter->id, Via::run});
    std::swap(waiters[0], waiters[choose(ChoiceKind::waiter)]);
  }
  current().argument = most == 1 && !waiters.empty() ? waiters[0]->id + std::uint64_t{1} : 0;
  const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(most, waiters.size()));
  for (std::uint32_t i = 0; i < count; ++i) {
    Thread& waiter = change(*waiters[i]);
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
    next.enabled = is_enabled(one);
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

// Threads.

Thread* Machine::create(std::uint64_t body, std::uint64_t argument) {
  Course& all = change_course();
  constexpr std::uint16_t kNamesMax = kNoThread - 1;
  if (all.created == kNamesMax || all.slots_used == kThreadSlots) {
    finish(End::threads);
    return nullptr;
  }
  Thread& parent = current();
  const std::uint16_t slot = all.slots_used++;
  Thread& child = thread(slot);
  memory.note(reinterpret_cast<std::uint64_t>(&child), sizeof child);
  touched_[slot] = marks_;
  child = {};
  child.slot = slot;
  child.number = all.created++;
  child.id = names.child(parent.id, ++parent.children);
  child.rounding = parent.rounding;
  child.life = Life::unsettled;
  child.bottom = &at<Frame>(kFrames + slot * kFramesSize) + 1;
  child.top = child.unsaved = child.bottom - 1;
  begin_storage(child);
  insert_live(slot);
  if (judges) {
    races.create(parent.number, child.number);
    race_names_.resize(std::max<std::size_t>(race_names_.size(), child.number + std::size_t{1}));
    race_names_[child.number] = child.id;
  }
  Function* const function = function_at_address(body);
  if (function == nullptr || !function->is_defined) {
    fail(BugKind::crash, "segmentation fault");
    return nullptr;
  }
  push(child, *function, {argument}, Then::thread);
  return &child;
}

Thread* Machine::find_thread(std::uint64_t handle) {
  for (std::uint32_t slot = 0; slot < course().slots_used; ++slot) {
    if (thread(slot).handle() == handle) return &thread(slot);
  }
  return nullptr;
}

bool Machine::is_last(const Thread& of) const {
  const std::span<std::uint16_t> all = live();
  return std::all_of(all.begin(), all.end(), [&of](std::uint16_t slot) { return slot == of.slot; });
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
  if (run_thread_destructor(me, Then::thread)) return std::nullopt;
  if (const auto stop = leave_robust_mutexes(me)) return stop;
  return finish_thread(me);
}

Next Machine::leave_all_frames(Thread& me) {
  for (Frame* frame = me.top - 1; frame >= me.bottom; --frame) {
    if (frame < me.unsaved) save_frame(me, *frame);
  }
  const std::uint64_t left = me.top->stack_pointer;
  memory.set_shadow(left, me.stack_end() - left, 0);
  me.top = me.bottom - 1;
  me.in_call = false;
  me.phase = 0;
  me.kept[2] = me.kept[3] = 0;
  me.kept[4] = 2;  // it ended by itself
  me.kept[5] = me.exit_result;
  return Next::unwound;
}

std::optional<Stop> Machine::end_thread() {
  Thread& me = current();
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
      if (&other != &me && !other.joined_by_someone && judges) races.join(me.number, other.number);
    }
    note_in_trace(Operation::others_ended, me);
  }
  if (run_exit_handler(me, Then::thread)) return std::nullopt;
  return stop_of(leave_process(me, 0, Exit::in_order));
}

std::optional<Stop> Machine::finish_thread(Thread& me) {
  me.result = me.kept[5];
  if (is_last(me) && me.slot == 0) return exit_as_last(me);
  if (!end_judged(me)) return Stop::over;
  note_in_trace(Operation::thread_end, me);
  me.life = Life::ended;
  note_written(me.object_address(), 1);
  me.released = me.detached;
  remove_live(me.slot);
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

}  // namespace thrum::vm
