// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "boolprog/predecessors.hpp"

namespace thrum::bp {

Predecessors::Predecessors(const Transfer& transfer) : transfer_(transfer) {
  const Flow& flow = transfer.encoding().flow();
  std::size_t places = flow.code.size() + 1;
  fails_.resize(places);
  returns_.resize(places);
  into_.resize(places);
  entered_.resize(places);
  calls_of_.resize(flow.procedures.size());
  for (std::uint32_t i = 0; i < flow.procedures.size(); ++i) entered_[flow.procedures[i].entry].push_back(i);
  for (Pc pc = 0; pc < flow.code.size(); ++pc) {
    if (transfer.is_call(pc)) {
      into_[flow.code[pc].next[0]].push_back({pc, kCall});
      calls_of_[flow.code[pc].callee].push_back(pc);
    }
    const auto& moves = transfer.moves(pc);
    for (std::uint32_t i = 0; i < moves.size(); ++i) into_[moves[i].to].push_back({pc, i});
  }
}

void Predecessors::saturate() {
  const Flow& flow = transfer_.encoding().flow();
  for (Pc pc = 0; pc < flow.code.size(); ++pc) {
    add(fails_, pc, transfer_.failing(pc));
    if (transfer_.is_give_back(pc)) add(returns_, pc, transfer_.returns_at(pc));
  }
  while (!work_.empty()) {
    Pc pc = work_.pop();
    Bdd fails = fails_[pc].take_new();
    Bdd returns = returns_[pc].take_new();
    before(fails_, pc, fails);
    before(returns_, pc, returns);
    for (std::uint32_t procedure : entered_[pc]) {
      for (Pc call : calls_of_[procedure]) {
        if (!fails.is_false()) add(fails_, call, transfer_.calls_into(call, fails));
        if (returns.is_false()) continue;
        Bdd seen = transfer_.seen_by_callers(procedure, returns);
        Pc next = flow.code[call].next[0];
        add(fails_, call, transfer_.before_call(call, seen, fails_[next].all()));
        add(returns_, call, transfer_.before_call(call, seen, returns_[next].all()));
      }
    }
  }
}

void Predecessors::add(std::vector<GrowingSet>& sets, Pc pc, const Bdd& set) {
  if (!sets[pc].add(set).is_false()) work_.push(pc);
}

void Predecessors::before(std::vector<GrowingSet>& sets, Pc pc, const Bdd& fresh) {
  if (fresh.is_false()) return;
  const Flow& flow = transfer_.encoding().flow();
  for (const Into& into : into_[pc]) {
    if (into.move != kCall) {
      add(sets, into.from, transfer_.moves(into.from)[into.move].update.before(fresh));
      continue;
    }
    std::uint32_t callee = flow.code[into.from].callee;
    const Bdd& returns = returns_[flow.procedures[callee].entry].all();
    add(sets, into.from, transfer_.before_call(into.from, transfer_.seen_by_callers(callee, returns), fresh));
  }
}

}  // namespace thrum::bp
