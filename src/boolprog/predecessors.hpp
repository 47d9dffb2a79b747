// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From where one thread goes wrong, with unbounded stacks: pre* of a symbolic pushdown system (Bouajjani,
// Esparza and Maler, CONCUR 1997; Schwoon 2002, section 3.1), with the thread alone.
//
// The automaton for "a frame that fails lies on top, anything below" has a state that accepts everything, and
// one for each way to return. Its transitions from a top frame at pc are two sets:
//   fails(pc)     to the first: from here the frame, or one that it calls, fails
//   returns(pc)   to the others: from here the frame returns, with those globals and results
#pragma once

#include <vector>

#include "boolprog/saturation.hpp"
#include "boolprog/transfer.hpp"

namespace thrum::bp {

class Predecessors {
 public:
  explicit Predecessors(const Transfer& transfer);

  // Saturates both for the whole program.
  void saturate();

  // Globals and locals now.
  const Bdd& fails(Pc pc) const { return fails_[pc].all(); }
  // Likewise, and the exit's globals (entry copies) and results (exit results).
  const Bdd& returns(Pc pc) const { return returns_[pc].all(); }

 private:
  void add(std::vector<GrowingSet>& sets, Pc pc, const Bdd& set);
  void before(std::vector<GrowingSet>& sets, Pc pc, const Bdd& fresh);

  struct Into {
    Pc from;
    std::uint32_t move;  // kCall: it is a call, which comes here when it returns
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
