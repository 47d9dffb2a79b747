// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The states from which one thread, running alone, can fail, with unbounded stacks: pre* of a symbolic
// pushdown system (Bouajjani, Esparza and Maler, CONCUR 1997; Schwoon 2002, section 3.1).
//
// The P-automaton of "a failing frame on top of any stack" has a state that accepts every stack, and a state
// for each valuation with which a frame may return. Its transitions for a top frame at pc are two sets:
//   fails(pc)     to the first state: the frame, or one that it calls, can fail
//   returns(pc)   to the others: the frame can return with these globals and results
#pragma once

#include <vector>

#include "boolprog/saturation.hpp"
#include "boolprog/transfer.hpp"

namespace thrum::bp {

class Predecessors {
 public:
  explicit Predecessors(const Transfer& transfer);

  // Computes both sets for all places.
  void saturate();

  // Over globals and locals now.
  const Bdd& fails(Pc pc) const { return fails_[pc].all(); }
  // Over the same, and the globals (entry copies) and results (exit results) at the return.
  const Bdd& returns(Pc pc) const { return returns_[pc].all(); }

 private:
  void add(std::vector<GrowingSet>& sets, Pc pc, const Bdd& set);
  void before(std::vector<GrowingSet>& sets, Pc pc, const Bdd& fresh);

  struct Into {
    Pc from;
    std::uint32_t move;  // kCall: a call that returns to this place
  };
  static constexpr std::uint32_t kCall = ~std::uint32_t{0};

  const Transfer& transfer_;
  std::vector<GrowingSet> fails_, returns_;
  std::vector<std::vector<Into>> into_;              // by place
  std::vector<std::vector<Pc>> calls_of_;            // by procedure
  std::vector<std::vector<std::uint32_t>> entered_;  // by place: procedures that begin there
  Worklist<Pc> work_;
};

}  // namespace thrum::bp
