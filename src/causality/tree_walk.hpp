// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random executions of what the trees know, without the program. One that comes to something which no
// execution has shown is a plan that no solver was asked for. That nothing is left, only the solver can say.
//
// A walk knows mutexes, semaphores, condition variables and joins. In a walk, a thread that comes to another
// kind of waiting waits for ever. So what a walk finds may be wrong: it shows when the program runs it.
//
// Only where values decide. Tested by tests/causality/causality_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "causality/cells.hpp"
#include "causality/initial_state.hpp"
#include "causality/thread_trees.hpp"
#include "support/random.hpp"

namespace thrum {

class TreeWalk {
 public:
  using Node = ThreadTrees::Node;

  // Both must outlive it.
  TreeWalk(const ThreadTrees& trees, const InitialState& initial) : trees_(trees), initial_(initial) {}

  // Walks until something new is met, or so many steps were done. The steps that lead there, in their order,
  // with the one that shows it; none: nothing was met.
  std::vector<Node> find(std::uint64_t steps_max);
  // Of what was found: the waiter that the signal wakes, where several sleep; else kNone.
  Node chosen_by(Node signal) const;

  // The trees begin again.
  void forget();

 private:
  struct Piece {
    std::uint32_t cell = 0;
    std::uint32_t shift = 0;  // in bits
    std::uint64_t mask = 0;
  };
  struct Thread {
    Node at = ThreadTrees::kNone;  // behind what it has done
    bool is_over = false;
    bool sleeps = false;  // on a condition variable
  };
  enum class Went : std::uint8_t { on, to_news, to_the_end };

  void take_cells();
  bool walk(std::uint64_t& steps);
  Went step(Node operation);
  Went go_on(ThreadId thread);
  Went read(ThreadId thread, Node read);
  void write(Node write);
  Went join_all();
  bool can_do(ThreadId thread, Node operation);
  void perform(ThreadId thread, Node operation);
  void wake(Node waker, std::uint64_t condition, bool all);
  const std::vector<Piece>& pieces_of(Node access);
  std::int64_t& tokens_of(std::uint64_t object, std::int64_t initial);
  std::int64_t& lock_of(std::uint64_t object) { return tokens_of(object, 1); }
  Thread& thread(ThreadId number);

  const ThreadTrees& trees_;
  const InitialState& initial_;
  Random random_{1};
  Cells cells_;
  Node seen_ = 0;  // nodes up to here, for the cells
  std::unordered_map<Node, std::vector<Piece>> pieces_;

  // Of a walk.
  std::vector<Thread> threads_;                       // by number
  std::vector<std::optional<std::uint64_t>> memory_;  // by cell; nothing: as it was at first
  std::unordered_map<std::uint64_t, std::int64_t> tokens_;
  std::vector<Node> steps_;
  std::unordered_map<Node, Node> chosen_;
};

}  // namespace thrum
