// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "boolprog/phase.hpp"

#include <algorithm>

namespace thrum::bp {

namespace {

const GrowingSet kNothing{};
const std::vector<Phase::OldCaller> kNoOldCallers{};

}  // namespace

Phase::Phase(Summaries& summaries, const Transfer& transfer, Purpose purpose, std::uint32_t thread,
             std::uint32_t start)
    : summaries_(summaries),
      transfer_(transfer),
      purpose_(purpose),
      thread_(thread),
      number_(1),
      start_(start) {}

Phase::Phase(Summaries& summaries, const Transfer& transfer, Purpose purpose,
             std::shared_ptr<const Phase> previous, std::uint32_t start)
    : summaries_(summaries),
      transfer_(transfer),
      purpose_(purpose),
      previous_(std::move(previous)),
      thread_(previous_->thread_),
      number_(previous_->number_ + 1),
      start_(start) {}

const GrowingSet& Phase::at(const OldFrame& frame) const {
  auto found = at_.find(frame);
  return found == at_.end() ? kNothing : found->second;
}

const std::vector<Phase::OldCaller>& Phase::callers(Pc entry) const {
  auto found = callers_.find(entry);
  return found == callers_.end() ? kNoOldCallers : found->second;
}

const GrowingSet& Phase::on_stack(Pc entry) const {
  auto found = on_stack_.find(entry);
  return found == on_stack_.end() ? kNothing : found->second;
}

const Phase& Phase::of_number(std::uint32_t number) const {
  const Phase* phase = this;
  while (phase->number_ != number) phase = phase->previous_.get();
  return *phase;
}

std::vector<std::uint32_t> Phase::boundaries() const {
  std::vector<std::uint32_t> result;
  for (const Phase* phase = this; phase != nullptr; phase = phase->previous_.get()) {
    if (phase->start_ != 0) result.push_back(phase->start_);
    if (phase->end_ != 0) result.push_back(phase->end_);
  }
  return result;
}

void Phase::begin_first(Pc entry, const Bdd& begin) {
  OldFrame frame{kBase, {entry, entry}};
  begun_[frame] |= begin;
  add(frame, begin, {});
}

void Phase::begin_again(const Bdd& schedules) {
  Bdd begin = transfer_.onto_boundaries(schedules, boundaries()) & transfer_.now_is_boundary(start_);
  if (purpose_ == Purpose::detect) begin = transfer_.onto_boundaries(begin, previous_->boundaries());
  std::uint32_t end = previous_->end_;
  const SwitchPlaces& switches = transfer_.switches(thread_);
  auto go_on = [&](const OldFrame& frame, const Bdd& states) {
    bool begins = switches.begins[frame.frame.pc];
    bool ends = purpose_ != Purpose::detect && switches.ends[frame.frame.pc];
    if (!begins && !ends) return;
    Bdd left = transfer_.now_as_boundary(end, transfer_.context_ended(thread_, states));
    Bdd set =
        purpose_ == Purpose::detect ? transfer_.onto_boundaries(left, begin, needed(frame)) : left & begin;
    set = transfer_.context_begun(thread_, set);
    if (ends) begun_[frame] = set;
    if (begins) add(frame, set, {});
  };
  for (const auto& [frame, states] : previous_->at_) go_on(frame, states.all());
  for (const auto& [entry, entries] : previous_->on_stack_) {
    for (auto frame = summaries_.frames().lower_bound({entry, 0});
         frame != summaries_.frames().end() && frame->first.entry == entry; ++frame) {
      go_on({number_ - 1, frame->first}, frame->second.all() & entries.all());
    }
  }
}

void Phase::saturate() {
  while (!work_.empty() && !failure_) {
    OldFrame frame = work_.pop();
    expand(frame, at_[frame].take_new());
  }
  if (!failure_) find_stacks();
}

// The boundaries on which both this frame and the frames below it depend.
std::vector<std::uint32_t> Phase::needed(const OldFrame& frame) const {
  if (frame.origin == kBase) return {};
  return of_number(frame.origin).boundaries();
}

Bdd Phase::onto_needed(const OldFrame& frame, const Bdd& set) const {
  return purpose_ == Purpose::detect ? transfer_.onto_boundaries(set, needed(frame)) : set;
}

Bdd Phase::grow(GrowingSet& set, const Bdd& by, const Cause& cause) {
  return purpose_ == Purpose::trace ? set.add(by, cause, rank_) : set.add(by);
}

void Phase::add(const OldFrame& frame, const Bdd& set, const Cause& cause) {
  Bdd fresh = grow(at_[frame], set, cause);
  if (fresh.is_false() || frame.frame.pc == transfer_.dead()) return;
  work_.push(frame);
  if (failure_) return;
  Bdd failing = fresh & transfer_.failing(frame.frame.pc);
  if (!failing.is_false()) failure_ = Failure{frame, false, failing};
}

void Phase::expand(const OldFrame& frame, const Bdd& states) {
  Pc pc = frame.frame.pc;
  if (transfer_.is_call(pc)) return call(frame, states);
  if (transfer_.is_give_back(pc)) return give_back(frame, states);
  const auto& moves = transfer_.moves(pc);
  for (std::uint32_t i = 0; i < moves.size(); ++i) {
    add({frame.origin, {frame.frame.entry, moves[i].to}}, moves[i].update(states),
        {Cause::Kind::move, pc, i});
  }
}

void Phase::call(const OldFrame& frame, const Bdd& states) {
  const Flow& flow = transfer_.encoding().flow();
  const Instruction& instruction = flow.code[frame.frame.pc];
  Pc entry = flow.procedures[instruction.callee].entry;
  Bdd called = transfer_.called(frame.frame.pc, states);
  if (called.is_false()) return;
  auto& callers = callers_[entry];
  auto known =
      std::find_if(callers.begin(), callers.end(), [&](const OldCaller& one) { return one.frame == frame; });
  if (known == callers.end()) {
    callers.push_back({frame, called});
  } else {
    known->called |= called;
  }
  summaries_.demand(instruction.callee, transfer_.entered(called));
  add({frame.origin, {frame.frame.entry, instruction.next[0]}},
      transfer_.resumed(frame.frame.pc, called, summaries_.returned(entry).all()),
      {Cause::Kind::back, frame.frame.pc});
}

void Phase::give_back(const OldFrame& frame, const Bdd& states) {
  Pc pc = frame.frame.pc;
  if (frame.origin == kBase) {
    add({kBase, {frame.frame.entry, transfer_.dead()}}, transfer_.ended(pc, states), {Cause::Kind::move, pc});
    return;
  }
  Bdd returned = transfer_.returned(pc, states);
  if (returned.is_false()) return;
  const Flow& flow = transfer_.encoding().flow();
  const Phase& then = of_number(frame.origin);
  Pc entry = frame.frame.entry;
  const auto& old_callers = then.callers(entry);
  for (std::uint32_t i = 0; i < old_callers.size(); ++i) {
    const OldFrame& caller = old_callers[i].frame;
    add({caller.origin, {caller.frame.entry, flow.code[caller.frame.pc].next[0]}},
        onto_needed(caller, transfer_.resumed(caller.frame.pc, old_callers[i].called, returned)),
        {Cause::Kind::resume, caller.frame.pc, i, frame.origin, entry});
  }
  for (const Caller& caller : summaries_.callers(entry)) {
    Bdd called = caller.called & then.on_stack(caller.frame.entry).all();
    add({frame.origin, {caller.frame.entry, flow.code[caller.frame.pc].next[0]}},
        transfer_.resumed(caller.frame.pc, called, returned),
        {Cause::Kind::resume, caller.frame.pc, kNoOldCaller, frame.origin, entry});
  }
}

// Finds the frames called in this context that may be on the stack: those that an old frame called, and those
// that such a frame called in turn.
void Phase::find_stacks() {
  Worklist<Pc> work;
  auto see = [&](Pc entry, const Bdd& entries, const Cause& cause) {
    if (!grow(on_stack_[entry], entries, cause).is_false()) work.push(entry);
  };
  auto entered = [&](const Bdd& called) {
    return purpose_ == Purpose::detect ? transfer_.entered(called) : transfer_.entered_from(called);
  };
  for (const auto& [entry, callers] : callers_) {
    for (std::uint32_t i = 0; i < callers.size(); ++i) {
      see(entry, entered(callers[i].called), {Cause::Kind::resume, callers[i].frame.frame.pc, i});
    }
  }
  std::map<Pc, std::vector<std::pair<Pc, Caller>>> callees;  // by the caller's entry
  for (const auto& [entry, callers] : summaries_.all_callers()) {
    for (const Caller& caller : callers) callees[caller.frame.entry].emplace_back(entry, caller);
  }
  while (!work.empty()) {
    Pc caller = work.pop();
    Bdd fresh = on_stack_[caller].take_new();
    for (const auto& [entry, by] : callees[caller]) {
      see(entry, entered(by.called & fresh), {Cause::Kind::back, by.frame.pc, 0, 0, caller});
    }
  }
  for (const auto& [entry, entries] : on_stack_) {
    for (auto frame = summaries_.frames().lower_bound({entry, 0});
         frame != summaries_.frames().end() && frame->first.entry == entry && !failure_; ++frame) {
      Bdd failing = frame->second.all() & transfer_.failing(frame->first.pc) & entries.all();
      if (!failing.is_false()) failure_ = Failure{{number_, frame->first}, true, failing};
    }
  }
}

Bdd Phase::ends() const {
  const std::vector<bool>& places = transfer_.switches(thread_).ends;
  Bdd result;
  for (const auto& [frame, states] : at_) {
    if (!places[frame.frame.pc]) continue;
    auto begun = begun_.find(frame);
    Bdd moved = begun == begun_.end() ? states.all() : minus(states.all(), begun->second);
    result |= transfer_.without_frame(moved);
  }
  for (const auto& [entry, entries] : on_stack_) {
    result |= transfer_.without_frame(entries.all() & summaries_.globals_of(entry, places));
  }
  return result;
}

}  // namespace thrum::bp
