// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/waiting_program.hpp"

#include <algorithm>

#include "oracle/toy_code.hpp"
#include "support/check.hpp"

namespace thrum {

namespace {

Operation operation_of(WaitingOpcode opcode) {
  switch (opcode) {
    case WaitingOpcode::load: return Operation::load;
    case WaitingOpcode::store:
    case WaitingOpcode::store_register: return Operation::store;
    case WaitingOpcode::exchange:
    case WaitingOpcode::fetch_add: return Operation::read_modify_write;
    case WaitingOpcode::compare_exchange:
    case WaitingOpcode::compare_load: return Operation::compare_exchange;
    case WaitingOpcode::lock: return Operation::lock;
    case WaitingOpcode::unlock: return Operation::unlock;
    default: return Operation::try_lock;
  }
}

std::uint32_t size_of(WaitingOpcode opcode) { return is_on_lock(opcode) ? 0 : 1; }

}  // namespace

WaitingProgram::WaitingProgram(WaitingCode code, WaitingMutations mutations)
    : code_(std::move(code)), mutations_(mutations), machine_(code_) {}

void WaitingProgram::run(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace) {
  constexpr std::uint64_t kStepsMax = 400;
  constexpr std::uint64_t kAttemptMax = 13;  // steps
  refusals_.clear();
  if (begins_again_) attempt(plan, advisor, wanted, trace, ++attempts_ % kAttemptMax);
  while (!attempt(plan, advisor, wanted, trace, kStepsMax)) {
  }
  if (wanted.has(Wanted::kEvents)) {
    for (const PendingOperation& left : pending()) {
      const bool failed = trace.end == End::bug && left.thread == trace.failure.thread;
      if (!failed) trace.pending.push_back(left);
    }
  }
  // What is left of the plan could not be followed.
  if (trace.end == End::finished && director_.left() == 0) judge_rest();
  trace.refusals.assign(refusals_.begin(), refusals_.end());
  director_.finish();
}

// Up to so many steps. False: something was learned on the way, and it has to be begun again.
bool WaitingProgram::attempt(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace,
                             std::uint64_t steps) {
  director_.begin(plan, advisor, wanted, trace);
  trace_ = &trace;
  rounds_ = plan.policy.rounds;
  reset();
  if (state_.failed != 0) {
    running_ = static_cast<std::size_t>(state_.failed / 256);
    fail(BugKind::assertion, "assertion failed");
  }
  while (trace.end == End::finished) {
    const std::optional<std::size_t> next = pick();
    if (!next) return true;
    if (!step(*next)) return false;
    if (trace.counts.steps >= steps && trace.end == End::finished) trace.end = End::steps;
  }
  return true;
}

void WaitingProgram::reset() {
  state_ = machine_.start();
  running_ = 0;
  threads_.assign(code_.threads.size(), {});
  for (std::size_t i = 1; i < threads_.size(); ++i)
    threads_[i].id = names_.child(kMainThread, static_cast<std::uint32_t>(i));
  trace_->counts.threads = static_cast<std::uint16_t>(threads_.size());
  note_creations();
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (!state_.threads[i].ended) threads_[i].visits.arrive(state_.threads[i].local);
  }
}

void WaitingProgram::note_creations() {
  if (!director_.records_events()) return;
  for (std::size_t i = 1; i < threads_.size(); ++i) {
    Event event;
    event.operation = Operation::thread_create;
    event.argument = threads_[i].id;
    trace_->events.push_back(event);
    if (director_.records_places()) trace_->details.places.emplace_back();
  }
}

bool WaitingProgram::may_await(std::size_t number) const {
  return rounds_ >= Rounds::await && !state_.threads[number].ended &&
         reads_cell(machine_.next(state_, number).opcode);
}

// Where the thread would come back to, if its read is not enabled for that; else nullptr.
const WaitingLocal* WaitingProgram::refused_to(std::size_t number) const {
  if (!may_await(number)) return nullptr;
  auto known = next_.find({number, state_.threads[number].local, machine_.value(state_, number)});
  if (known == next_.end() || !known->second) return nullptr;
  return threads_[number].visits.comes_back(*known->second) ? &*known->second : nullptr;
}

// Whether the thread would be, behind its read, where fewer reads of the same cell would have led it by now
// from one of its earlier visits.
bool WaitingProgram::is_merged(std::size_t number) const {
  if (rounds_ != Rounds::merge || !may_await(number)) return false;
  const auto visits = threads_[number].visits.since_effect();
  const std::uint64_t cell = machine_.object(state_, number);
  WaitingState after = state_;
  if (machine_.step(after, number).writes || after.failed != 0) return false;
  const std::size_t last = visits.size() - 1;
  for (std::size_t i = 0; i < last; ++i) {
    WaitingState way = state_;
    WaitingState::Thread& me = way.threads[number];
    me.local = visits[i].local;
    for (std::size_t reads = 1; reads <= last - i; ++reads) {
      const bool goes_on = !me.ended && reads_cell(machine_.next(way, number).opcode);
      if (!goes_on || machine_.object(way, number) != cell) break;
      if (machine_.step(way, number).writes || way.failed != 0) break;
      if (me.ended == after.threads[number].ended && me.local == after.threads[number].local) return true;
    }
  }
  return false;
}

// What decides which values are refused: the thread, where it stands (its last visit), where it was before.
// They are compared byte by byte.
std::uint64_t WaitingProgram::condition(std::size_t number) {
  std::string text(1, static_cast<char>(number));
  for (const WaitingVisits::Visit& visit : threads_[number].visits.since_effect()) {
    text += static_cast<char>(visit.local.at & 0xff);
    text += static_cast<char>(visit.local.at >> 8);
    text.append(visit.local.registers.begin(), visit.local.registers.end());
  }
  return conditions_.try_emplace(std::move(text), conditions_.size() + 1).first->second;
}

bool WaitingProgram::enabled(std::size_t number) const {
  return !threads_[number].is_blocked && machine_.enabled(state_, number) && refused_to(number) == nullptr &&
         !is_merged(number);
}

void WaitingProgram::note_refusals() {
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i].is_blocked || (refused_to(i) == nullptr && !is_merged(i))) continue;
    refusals_.insert({condition(i), machine_.value(state_, i)});
  }
}

// The thread to run next; nothing where the execution is over.
std::optional<std::size_t> WaitingProgram::pick() {
  note_refusals();
  const Thread& last = threads_[running_];
  ChoicePoint point;
  point.key = {last.id, ChoiceKind::thread, last.events};
  point.running_enabled = enabled(running_);
  point.step = trace_->counts.points;
  options_.clear();
  for (std::size_t i = 0; i < threads_.size(); ++i) {  // they are in the order of their names
    if (!enabled(i)) continue;
    options_.push_back({threads_[i].id, Via::run});
    if (i <= running_) ++point.round;
  }
  if (point.round == options_.size()) point.round = 0;
  point.enabled = static_cast<std::uint16_t>(options_.size());
  if (options_.empty()) return {};
  ++trace_->counts.points;
  const std::uint16_t taken = director_.choose(point, options_, *this);
  if (taken == Director::kStop) return {};
  auto found = std::ranges::find(threads_, options_[taken].value, &Thread::id);
  return static_cast<std::size_t>(found - threads_.begin());
}

// False: its read has come to nothing, which was not known.
bool WaitingProgram::step(std::size_t number) {
  Thread& thread = threads_[number];
  running_ = number;
  const bool awaits = may_await(number);
  const std::uint64_t awaited = awaits ? condition(number) : 0;
  const Read read{number, state_.threads[number].local, machine_.value(state_, number)};
  const WaitingAccess access = machine_.step(state_, number);
  if (director_.records_events()) {
    if (awaits) trace_->awaits.push_back({static_cast<std::uint32_t>(trace_->events.size()), awaited});
    trace_->events.push_back(event_of(number, access));
    trace_->events.back().code = toy_place(static_cast<int>(number), read.local.at);
  }
  if (director_.records_places()) trace_->details.places.emplace_back();
  ++trace_->counts.steps;
  ++thread.events;
  thread.visits.note_own(access);
  for (Thread& other : threads_) {
    if (&other != &thread) other.visits.note_of_other(access);
  }
  const bool goes_on = !state_.threads[number].ended && state_.failed == 0;
  if (state_.failed != 0) fail(BugKind::assertion, "assertion failed");
  if (awaits) {
    std::optional<WaitingLocal>& next = next_[read];
    if (goes_on && !access.writes) next = state_.threads[number].local;
  }
  if (!goes_on || arrive(number) || !awaits) return true;
  refusals_.insert({awaited, read.value});
  known_refusals_.insert({awaited, read.value});
  return false;
}

// False: by a round that only read.
bool WaitingProgram::arrive(std::size_t number) {
  using Round = WaitingVisits::Round;
  if (rounds_ == Rounds::repeat) return true;
  Thread& thread = threads_[number];
  const WaitingLocal& local = state_.threads[number].local;
  const Round round = thread.visits.round_to(local, mutations_);
  thread.is_blocked = round != Round::none;
  if (!thread.is_blocked) thread.visits.arrive(local);
  return round != Round::pure;
}

Event WaitingProgram::event_of(std::size_t number, const WaitingAccess& access) const {
  Event event;
  event.thread = threads_[number].id;
  event.index = threads_[number].events;
  event.operation = operation_of(access.opcode);
  event.object = access.object;
  event.size = size_of(access.opcode);
  if (access.failed) event.outcome = Outcome::failed;
  if (is_on_lock(access.opcode)) return event;
  event.value = access.before;
  event.argument = access.argument;
  switch (event.operation) {
    case Operation::load: return event;
    case Operation::compare_exchange: event.operand = access.desired; break;
    default: event.operand = access.after;
  }
  if (access.opcode == WaitingOpcode::fetch_add) event.update = Update::add;
  if (!access.failed && !access.writes) event.outcome = Outcome::unchanged;
  return event;
}

// No thread is enabled. Those that wait in loops begin a round from here, each alone: if one goes on so, they
// only waited for what came too late for them in this execution. A thread may be blocked in the middle of a
// round that writes, where what it has written holds others up for no longer than that round; so each goes on
// to where it is lowest, until all stand there.
void WaitingProgram::judge_rest() {
  constexpr int kTurnsMax = 10;
  if (std::ranges::all_of(state_.threads, &WaitingState::Thread::ended)) return;
  WaitingState rest = state_;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    const WaitingLocal* head = refused_to(i);
    if (head != nullptr) rest.threads[i].local = *head;
  }
  trace_->end = End::waiting;
  for (int turn = 0; turn < kTurnsMax; ++turn) {
    const Settled settled = settle_rest(rest);
    if (settled.any_passes) return;
    if (settled.any_moved) continue;
    state_ = rest;
    report_stuck(settled.any_circles);
    return;
  }
}

// Each living thread goes on, alone, to where it is lowest in its circle.
WaitingProgram::Settled WaitingProgram::settle_rest(WaitingState& rest) const {
  using AloneEnd = WaitingMachine::Alone::End;
  Settled settled;
  for (std::size_t i = 0; i < threads_.size() && !settled.any_passes; ++i) {
    if (rest.threads[i].ended) continue;
    const WaitingMachine::Alone alone = machine_.run_alone(rest, i);
    settled.any_passes = alone.end == AloneEnd::passes;
    settled.any_circles = settled.any_circles || alone.end == AloneEnd::circles;
    settled.any_moved = settled.any_moved || alone.steps != 0;
    for (int k = 0; k < alone.steps; ++k) machine_.step(rest, i);
  }
  return settled;
}

void WaitingProgram::report_stuck(bool circles) {
  fail(circles ? BugKind::livelock : BugKind::deadlock, circles ? "livelock" : "deadlock");
  trace_->failure.code = 0;
  for (const PendingOperation& left : trace_->pending) {
    Waiter& waiter = trace_->failure.waiters.emplace_back();
    waiter.thread = left.thread;
    waiter.operation = left.operation;
    waiter.object = left.object;
    waiter.code = left.operand;
  }
}

void WaitingProgram::fail(BugKind kind, const char* message) {
  trace_->end = End::bug;
  trace_->last = threads_[running_].id;
  trace_->failure.kind = kind;
  trace_->failure.message = message;
  trace_->failure.thread = threads_[running_].id;
  trace_->failure.code = state_.failed;
}

std::span<const PendingOperation> WaitingProgram::pending() {
  pending_.clear();
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (state_.threads[i].ended) continue;
    const WaitingInstruction& instruction = machine_.next(state_, i);
    if (!is_visible(instruction.opcode)) continue;  // it has failed
    PendingOperation next;
    next.thread = threads_[i].id;
    next.operation = operation_of(instruction.opcode);
    next.enabled = enabled(i);
    next.sleeps = threads_[i].is_blocked;
    if (next.sleeps) next.operand = toy_place(static_cast<int>(i), state_.threads[i].local.at);
    next.object = machine_.object(state_, i);
    next.size = size_of(instruction.opcode);
    if (!next.sleeps && may_await(i)) next.condition = condition(i);
    pending_.push_back(next);
  }
  return pending_;
}

std::uint64_t WaitingProgram::place(ThreadId id) const {
  auto found = std::ranges::find(threads_, id, &Thread::id);
  if (found == threads_.end()) return 0;
  return std::uint64_t{state_.threads[static_cast<std::size_t>(found - threads_.begin())].local.at} + 1;
}

}  // namespace thrum
