// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bitcode/endless_loops.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

namespace thrum::bitcode {

namespace {

using Block = llvm::BasicBlock;
using Blocks = std::set<const Block*>;

// Whether control that has come to the block leaves the function, or ends the thread or the process in order.
bool is_way_out(const Block& block) {
  if (llvm::isa<llvm::ReturnInst>(block.getTerminator())) return true;
  return std::ranges::any_of(block, [](const llvm::Instruction& instruction) {
    const auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function* const callee = call != nullptr ? call->getCalledFunction() : nullptr;
    if (callee == nullptr) return false;
    constexpr const char* kLeaving[] = {"exit",         "_exit",   "_Exit",      "quick_exit",
                                        "pthread_exit", "longjmp", "siglongjmp", "thrd_exit"};
    return std::ranges::any_of(kLeaving, [&](const char* name) { return callee->getName() == name; });
  });
}

// The blocks that can be reached without an exception.
template <typename Visit>
void each_successor(const Block& block, Visit visit) {
  const auto* const invoke = llvm::dyn_cast<llvm::InvokeInst>(block.getTerminator());
  for (const Block* const next : llvm::successors(&block)) {
    if (invoke == nullptr || next != invoke->getUnwindDest()) visit(*next);
  }
}

// The blocks from which nothing but a failure comes, or an exception.
Blocks find_doomed(const llvm::Function& function) {
  Blocks doomed;
  bool changes = true;
  while (changes) {
    changes = false;
    for (const Block& block : function) {
      bool is_doomed = !is_way_out(block);
      each_successor(block, [&](const Block& next) { is_doomed = is_doomed && doomed.contains(&next); });
      changes = (is_doomed && doomed.insert(&block).second) || changes;
    }
  }
  return doomed;
}

bool has_way_out(const Blocks& loop, const Blocks& doomed) {
  return std::ranges::any_of(loop, [&](const Block* block) {
    bool leads_out = is_way_out(*block);
    each_successor(*block, [&](const Block& next) {
      leads_out = leads_out || !(loop.contains(&next) || doomed.contains(&next));
    });
    return leads_out;
  });
}

// The loop of these branches back to its head: the head, and what reaches one of them without it.
Blocks blocks_of_loop(const Block* head, const std::vector<const Block*>& latches) {
  Blocks loop = {head};
  std::vector<const Block*> ahead = latches;
  while (!ahead.empty()) {
    const Block* const block = ahead.back();
    ahead.pop_back();
    if (!loop.insert(block).second) continue;
    for (const Block* const before : llvm::predecessors(block)) ahead.push_back(before);
  }
  return loop;
}

struct Loop {
  const Block* head = nullptr;
  std::vector<const Block*> latches;
  Blocks blocks{};
};

bool is_inside(const Loop& one, const Loop& other) {
  return one.head == other.head && one.blocks.size() < other.blocks.size() &&
         std::ranges::includes(other.blocks, one.blocks);
}

}  // namespace

EndlessLoops::EndlessLoops(const llvm::Function& function) {
  llvm::SmallVector<std::pair<const Block*, const Block*>> back;
  llvm::FindFunctionBackedges(function, back);
  if (back.empty()) return;
  const llvm::DominatorTree dominators(const_cast<llvm::Function&>(function));
  std::map<std::pair<const Block*, const void*>, Loop> by_head;
  for (const auto& [latch, head] : back) {
    if (!dominators.dominates(head, latch)) {
      rounds_.insert({latch, head});
      continue;
    }
    const void* const name = latch->getTerminator()->getMetadata(llvm::LLVMContext::MD_loop);
    Loop& loop = by_head[{head, name}];
    loop.head = head;
    loop.latches.push_back(latch);
  }
  const Blocks doomed = find_doomed(function);
  for (auto& [key, loop] : by_head) loop.blocks = blocks_of_loop(loop.head, loop.latches);
  for (const auto& [key, loop] : by_head) {
    const auto is_around = [&](const auto& other) { return is_inside(loop, other.second); };
    if (std::ranges::any_of(by_head, is_around) || has_way_out(loop.blocks, doomed)) continue;
    for (const Block* const latch : loop.latches) rounds_.insert({latch, loop.head});
  }
}

}  // namespace thrum::bitcode
