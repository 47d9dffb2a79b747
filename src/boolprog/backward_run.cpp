// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "boolprog/backward_run.hpp"

#include <algorithm>

#include "support/check.hpp"

namespace thrum::bp {

namespace {

constexpr std::uint64_t kStepsMax = 1000000;

// The first addition that contains one of the states.
const Addition& first_with(const GrowingSet& set, const Bdd& states) {
  const auto& all = set.additions();
  auto found = std::partition_point(all.begin(), all.end(), [&](const Addition& one) {
    return (one.before & states).is_false() && (one.set & states).is_false();
  });
  THRUM_CHECK(found != all.end() && "the state is in the set");
  return *found;
}

const Caller& caller_from(const Summaries& summaries, Pc entry, FrameKey frame) {
  const auto& callers = summaries.callers(entry);
  auto found =
      std::find_if(callers.begin(), callers.end(), [&](const Caller& one) { return one.frame == frame; });
  THRUM_CHECK(found != callers.end());
  return *found;
}

}  // namespace

BackwardRun::BackwardRun(const Transfer& transfer, const Phase& phase,
                         const std::vector<std::vector<bool>>& boundaries)
    : transfer_(transfer), phase_(&phase), boundary_globals_(boundaries), boundaries_(Bdd::constant(true)) {
  const Encoding& encoding = transfer.encoding();
  for (std::uint32_t i = 0; i < encoding.globals(); ++i) {
    global_entry_.push_back(encoding.global_entry(i));
    global_now_.push_back(encoding.global_now(i));
    global_next_.push_back(encoding.global_next(i));
    for (std::uint32_t k = 1; k < boundaries.size(); ++k) {
      boundaries_ &= Bdd::literal(encoding.global_boundary(i, k), boundaries[k][i]);
    }
  }
  for (std::uint32_t i = 0; i < encoding.locals(); ++i) local_now_.push_back(encoding.local_now(i));
  for (std::uint32_t i = 0; i < encoding.parameters(); ++i) {
    local_entry_.push_back(encoding.local_entry(i));
    local_next_.push_back(encoding.local_next(i));
  }
  for (std::uint32_t i = 0; i < encoding.results(); ++i) results_.push_back(encoding.result(i));
}

// --- Sets of one valuation ---

Bdd BackwardRun::set_to(const std::vector<int>& variables, const std::vector<bool>& values) const {
  Bdd result = Bdd::constant(true);
  for (std::size_t i = 0; i < variables.size(); ++i) result &= Bdd::literal(variables[i], values[i]);
  return result;
}

Bdd BackwardRun::now(const Point& point) const {
  return set_to(global_now_, point.globals) & set_to(local_now_, point.locals);
}

Bdd BackwardRun::entry(const At& at) const {
  if (at.origin == kBase) return Bdd::constant(true);
  return set_to(global_entry_, at.point.entry_globals) & set_to(local_entry_, at.point.entry_locals);
}

// The calls of a called set whose callee sees at its entry what this point saw.
Bdd BackwardRun::seen_at_entry(const Point& point) const {
  return set_to(global_now_, point.entry_globals) & set_to(local_next_, point.entry_locals);
}

// The caller's locals that have the same values before the call and after the return.
Bdd BackwardRun::kept(Pc call, const std::vector<bool>& locals) const {
  const std::vector<bool>& which = transfer_.kept_over(call);
  Bdd result = Bdd::constant(true);
  for (std::size_t i = 0; i < local_now_.size(); ++i) {
    if (which[i]) result &= Bdd::literal(local_now_[i], locals[i]);
  }
  return result;
}

void BackwardRun::choose(const Bdd& set, At& at) const {
  Bdd some = set & boundaries_;
  at.point.globals = some.pick(global_now_);
  at.point.locals = some.pick(local_now_);
  at.point.entry_globals = some.pick(global_entry_);
  at.point.entry_locals = some.pick(local_entry_);
}

void BackwardRun::add(Steps& steps, Pc pc, const At& after) {
  if (++count_ > kStepsMax) throw TraceTooLong("more than " + std::to_string(kStepsMax) + " steps");
  steps.push_back({pc, phase_->start() + 1, after.frame.pc, after.point.globals, after.point.locals});
}

// --- The ends ---

Run BackwardRun::to_failure() {
  const Phase::Failure& failure = *phase_->failure();
  top_.origin = failure.is_new ? phase_->number() : failure.frame.origin;
  top_.frame = failure.frame.frame;
  choose(failure.states, top_);
  return run();
}

Run BackwardRun::to_end(const std::vector<bool>& globals) {
  return to_some(transfer_.context_ended_to(phase_->thread(), set_to(global_now_, globals)) & boundaries_,
                 false);
}

Run BackwardRun::through_init(const std::vector<bool>& globals) {
  return to_some(transfer_.init_ended_to(set_to(global_now_, globals)), true);
}

Run BackwardRun::to_some(const Bdd& ends, bool dead) {
  Bdd found;
  std::uint64_t rank = ~std::uint64_t{0};
  for (const auto& [frame, states] : phase_->old_frames()) {
    Bdd here = states.all() & ends;
    if (here.is_false() || (dead && frame.frame.pc != transfer_.dead())) continue;
    const Addition& first = first_with(states, here);
    if (first.rank >= rank) continue;
    rank = first.rank;
    found = first.set & here;
    top_.origin = frame.origin;
    top_.frame = frame.frame;
  }
  if (found.is_false()) {
    for (const auto& [frame, states] : phase_->summaries().frames()) {
      found = states.all() & phase_->on_stack(frame.entry).all() & ends;
      if (found.is_false()) continue;
      top_.origin = phase_->number();
      top_.frame = frame;
      break;
    }
  }
  choose(found, top_);
  return run();
}

Run BackwardRun::run() {
  while (true) {
    if (top_.origin != phase_->number()) {
      if (!step_back_old()) break;
    } else if (!step_back_new(top_, steps_)) {
      leave_entry();
    }
  }
  std::reverse(steps_.begin(), steps_.end());
  return {phase_->start() + 1, top_.frame.entry, top_.point, std::move(steps_)};
}

// --- Backwards ---

// A step back in a frame that was on the stack when the context began. False: the thread began here.
bool BackwardRun::step_back_old() {
  auto at = [&](Pc pc) -> const GrowingSet& { return phase_->at({top_.origin, {top_.frame.entry, pc}}); };
  const Addition& addition = first_with(at(top_.frame.pc), fixed(top_));
  Pc from = addition.cause.from;
  switch (addition.cause.kind) {
    case Cause::Kind::begin:
      if (phase_->number() == 1) return false;
      change_context();
      break;
    case Cause::Kind::move: moved(at(from), addition, top_, steps_); break;
    case Cause::Kind::back: {
      const Flow& flow = transfer_.encoding().flow();
      Pc entry = flow.procedures[flow.code[from].callee].entry;
      called(at(from), phase_->summaries().returned(entry).all(), addition, top_, steps_);
      break;
    }
    case Cause::Kind::resume: resumed(addition); break;
  }
  return true;
}

// A step back in a frame that was called in this context. False: the frame was entered here.
bool BackwardRun::step_back_new(At& at, Steps& steps) {
  const Summaries& summaries = phase_->summaries();
  const Addition& addition = first_with(summaries.at(at.frame), fixed(at));
  Pc from = addition.cause.from;
  if (addition.cause.kind == Cause::Kind::begin) return false;
  const GrowingSet& before = summaries.at({at.frame.entry, from});
  if (addition.cause.kind == Cause::Kind::move) {
    moved(before, addition, at, steps);
  } else {
    const Flow& flow = transfer_.encoding().flow();
    Pc entry = flow.procedures[flow.code[from].callee].entry;
    called(before, summaries.returned(entry).before(addition.rank), addition, at, steps);
  }
  return true;
}

void BackwardRun::moved(const GrowingSet& from, const Addition& addition, At& at, Steps& steps) {
  Pc pc = addition.cause.from;
  Bdd after = now(at.point);
  Bdd before = transfer_.is_give_back(pc) ? transfer_.ended_to(pc, after)
                                          : transfer_.moves(pc)[addition.cause.index].update.before(after);
  add(steps, pc, at);
  choose(from.before(addition.rank) & before & entry(at), at);
  at.frame.pc = pc;
}

// A step back over a whole call, from after the return to before the call.
void BackwardRun::called(const GrowingSet& callers, const Bdd& returned, const Addition& addition, At& at,
                         Steps& steps) {
  Pc call = addition.cause.from;
  Bdd ways = transfer_.resumed_to(call, transfer_.called(call, callers.before(addition.rank) & entry(at)),
                                  returned, now(at.point)) &
             boundaries_;
  Point exit;
  exit.globals = ways.pick(global_next_);
  exit.entry_globals = ways.pick(global_now_);
  exit.entry_locals = ways.pick(local_next_);
  Bdd results = set_to(results_, ways.pick(results_));
  At before = at;
  before.frame.pc = call;
  choose(transfer_.calling(call, callers.before(addition.rank) & entry(at)) & seen_at_entry(exit) &
             kept(call, ways.pick(local_now_)),
         before);
  through(call, exit, results, at, steps);
  at = before;
}

// Adds the steps of a procedure from its call to its return, both included. exit: the globals at the return,
// and what the procedure saw at its entry. after: the caller after the return.
void BackwardRun::through(Pc call, const Point& exit, const Bdd& results, const At& after, Steps& steps) {
  const Flow& flow = transfer_.encoding().flow();
  Pc entry_pc = flow.procedures[flow.code[call].callee].entry;
  const Summaries& summaries = phase_->summaries();
  const GrowingSet& returned = summaries.returned(entry_pc);
  const Addition& addition =
      first_with(returned, seen_at_entry(exit) & set_to(global_next_, exit.globals) & results);
  Pc pc = addition.cause.from;
  At at{phase_->number(), {entry_pc, pc}, exit};
  add(steps, pc, after);
  Bdd states = summaries.at(at.frame).before(addition.rank) & entry(at) & set_to(global_now_, exit.globals);
  choose(transfer_.returning(pc, states) & results, at);
  while (step_back_new(at, steps)) {
  }
  THRUM_CHECK(at.frame.pc == entry_pc);
  add(steps, call, at);
}

// The top frame was just entered. A step back to its caller, before the call.
void BackwardRun::leave_entry() {
  Pc entry_pc = top_.frame.entry;
  const Summaries& summaries = phase_->summaries();
  At caller;
  if (!below_.empty()) {
    caller = below_.back();
    below_.pop_back();
  } else {
    const Addition& addition = first_with(phase_->on_stack(entry_pc), entry(top_) & boundaries_);
    Bdd called;
    if (addition.cause.kind == Cause::Kind::resume) {
      const Phase::OldCaller& old = phase_->callers(entry_pc)[addition.cause.index];
      caller.origin = old.frame.origin;
      caller.frame = old.frame.frame;
      called = old.called;
    } else {
      caller.origin = phase_->number();
      caller.frame = {addition.cause.entry, addition.cause.from};
      called = caller_from(summaries, entry_pc, caller.frame).called &
               phase_->on_stack(addition.cause.entry).before(addition.rank);
    }
    choose(called & seen_at_entry(top_.point), caller);
  }
  Pc call = caller.frame.pc;
  const GrowingSet& callers = caller.origin == phase_->number() ? summaries.at(caller.frame)
                                                                : phase_->at({caller.origin, caller.frame});
  choose(transfer_.calling(call, callers.all() & entry(caller)) & seen_at_entry(top_.point) &
             kept(call, caller.point.locals),
         caller);
  add(steps_, call, top_);
  top_ = caller;
}

// The top frame goes on because a frame above it has returned, which an earlier context had left there.
void BackwardRun::resumed(const Addition& addition) {
  const Cause& cause = addition.cause;
  const Phase& then = phase_->of_number(cause.origin);
  At caller = top_;
  caller.frame.pc = cause.from;
  Bdd called;
  if (cause.index != kNoOldCaller) {
    called = then.callers(cause.entry)[cause.index].called;
  } else {
    called = caller_from(then.summaries(), cause.entry, caller.frame).called &
             then.on_stack(caller.frame.entry).all();
  }
  called &= entry(top_) & boundaries_;
  for (const auto& [frame, all] : phase_->old_frames()) {
    if (frame.origin != cause.origin || frame.frame.entry != cause.entry) continue;
    Pc pc = frame.frame.pc;
    if (pc == transfer_.dead() || !transfer_.is_give_back(pc)) continue;
    Bdd states = all.before(addition.rank) & boundaries_;
    Bdd ways = transfer_.resumed_to(cause.from, called, transfer_.returned(pc, states), now(top_.point));
    if (ways.is_false()) continue;
    caller.point.locals = ways.pick(local_now_);
    At callee{cause.origin, frame.frame, {}};
    callee.point.globals = ways.pick(global_next_);
    callee.point.entry_globals = ways.pick(global_now_);
    callee.point.entry_locals = ways.pick(local_next_);
    Bdd results = set_to(results_, ways.pick(results_));
    add(steps_, pc, top_);
    choose(
        transfer_.returning(pc, states) & results & entry(callee) & set_to(global_now_, callee.point.globals),
        callee);
    below_.push_back(caller);
    top_ = callee;
    return;
  }
  THRUM_CHECK(false && "something returned to the frame");
}

// The context begins here. A step back to the end of the previous context of the thread.
void BackwardRun::change_context() {
  phase_ = phase_->previous().get();
  Bdd left =
      set_to(local_now_, top_.point.locals) & entry(top_) &
      transfer_.context_ended_to(phase_->thread(), set_to(global_now_, boundary_globals_[phase_->end()]));
  bool is_new = top_.origin == phase_->number();
  const GrowingSet& states =
      is_new ? phase_->summaries().at(top_.frame) : phase_->at({top_.origin, top_.frame});
  choose(states.all() & left, top_);
}

}  // namespace thrum::bp
