// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "boolprog/summaries.hpp"

#include <algorithm>

namespace thrum::bp {

namespace {

const GrowingSet kNothing{};
const std::vector<Caller> kNoCallers{};

}  // namespace

const GrowingSet& Summaries::at(FrameKey frame) const {
  auto found = at_.find(frame);
  return found == at_.end() ? kNothing : found->second;
}

const std::vector<Caller>& Summaries::callers(Pc entry) const {
  auto found = callers_.find(entry);
  return found == callers_.end() ? kNoCallers : found->second;
}

const GrowingSet& Summaries::returned(Pc entry) const {
  auto found = returned_.find(entry);
  return found == returned_.end() ? kNothing : found->second;
}

Bdd Summaries::globals_of(Pc entry, const std::vector<bool>& places) const {
  Bdd result;
  for (auto frame = at_.lower_bound({entry, 0}); frame != at_.end() && frame->first.entry == entry; ++frame) {
    if (places[frame->first.pc]) result |= transfer_.without_locals(frame->second.all());
  }
  return result;
}

void Summaries::demand(std::uint32_t procedure, const Bdd& entries) {
  enter(procedure, entries);
  while (!work_.empty()) {
    FrameKey frame = work_.pop();
    expand(frame, at_[frame].take_new());
  }
}

void Summaries::enter(std::uint32_t procedure, const Bdd& entries) {
  Pc entry = transfer_.encoding().flow().procedures[procedure].entry;
  Bdd& known = entries_[entry];
  Bdd fresh = minus(entries, known);
  if (fresh.is_false()) return;
  known |= fresh;
  add({entry, entry}, transfer_.at_entry(procedure, fresh), {});
}

void Summaries::add(FrameKey frame, const Bdd& set, const Cause& cause) {
  Bdd fresh = at_[frame].add(set, cause, rank_);
  if (fresh.is_false()) return;
  if (frame.pc != transfer_.dead()) work_.push(frame);
}

void Summaries::expand(FrameKey frame, const Bdd& states) {
  if (transfer_.is_call(frame.pc)) return call(frame, states);
  if (transfer_.is_give_back(frame.pc)) return give_back(frame, states);
  const auto& moves = transfer_.moves(frame.pc);
  for (std::uint32_t i = 0; i < moves.size(); ++i) {
    add({frame.entry, moves[i].to}, moves[i].update(states), {Cause::Kind::move, frame.pc, i});
  }
}

void Summaries::call(FrameKey frame, const Bdd& states) {
  const Instruction& instruction = transfer_.encoding().flow().code[frame.pc];
  Pc entry = transfer_.encoding().flow().procedures[instruction.callee].entry;
  Bdd called = transfer_.called(frame.pc, states);
  if (called.is_false()) return;
  auto& callers = callers_[entry];
  auto known =
      std::find_if(callers.begin(), callers.end(), [&](const Caller& one) { return one.frame == frame; });
  if (known == callers.end()) {
    callers.push_back({frame, called});
  } else {
    known->called |= called;
  }
  enter(instruction.callee, transfer_.entered(called));
  const Bdd& returned = this->returned(entry).all();
  if (!returned.is_false()) {
    add({frame.entry, instruction.next[0]}, transfer_.resumed(frame.pc, called, returned),
        {Cause::Kind::back, frame.pc});
  }
}

void Summaries::give_back(FrameKey frame, const Bdd& states) {
  Bdd fresh =
      returned_[frame.entry].add(transfer_.returned(frame.pc, states), {Cause::Kind::move, frame.pc}, rank_);
  if (fresh.is_false()) return;
  const Flow& flow = transfer_.encoding().flow();
  for (const Caller& caller : callers(frame.entry)) {
    Pc call = caller.frame.pc;
    add({caller.frame.entry, flow.code[call].next[0]}, transfer_.resumed(call, caller.called, fresh),
        {Cause::Kind::back, call});
  }
}

}  // namespace thrum::bp
