// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that have no way out: for (;;) of a server, whose rounds are no waiting. A thread that goes round in
// such a loop comes further (docs/semantics.md, "Loops, fairness, livelock").
//
// An exception is no way out, nor is a call that does not return, but for those that end the thread or the
// process in order. So assert() in a server's loop leaves it what it is.
//
// Loops that share their first block, as for (;;) { while (!ready) {} … } may, are told apart by what the
// compiler notes at their last branches (!llvm.loop). An edge back to a block that does not dominate its
// origin (goto into a loop) counts as a round of such a loop: nothing is known of it.
#pragma once

#include <set>
#include <utility>

#include <llvm/IR/Function.h>

namespace thrum::bitcode {

class EndlessLoops {
 public:
  // function: outlives this.
  explicit EndlessLoops(const llvm::Function& function);

  // Whether a thread that goes from one block to the other completes a round of a loop that has no way out.
  bool completes_round(const llvm::BasicBlock* from, const llvm::BasicBlock* to) const {
    return rounds_.contains({from, to});
  }

 private:
  std::set<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>> rounds_;
};

}  // namespace thrum::bitcode
