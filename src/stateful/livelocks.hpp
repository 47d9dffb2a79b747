// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Livelocks of a program whose states are known: threads that go round for ever, and none comes further
// (docs/semantics.md, "Loops, fairness, livelock").
//
// A strongly connected component of the states is one if no step leads out of it, and in none of its steps a
// thread comes further: whatever the schedule, the threads stay there. Where steps lead out, there may still
// be a cycle in lockstep: fair, and each thread in it yields.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "stateful/state_program.hpp"

namespace thrum {

// A schedule from the state where the program stood, which goes round for ever.
struct Lockstep {
  std::vector<Option> schedule;
  std::size_t round = 0;  // its options from there on lead back to where they begin; none: that was not found
  Failure failure;
};

// The program stands in a component that nothing leaves: its threads take turns, until a state comes again.
// The program stands elsewhere afterwards.
Lockstep take_turns(StateProgram& program);

// A cycle in lockstep of the component in which the program stands. Fair means that each thread that could
// run somewhere in the cycle runs in it; each of them yields, or a sleep or timed wait of it runs out; and no
// step of it is hidden or makes a thread come further.
class LockstepSearch {
 public:
  // is_member: whether the state belongs to the component.
  LockstepSearch(StateProgram& program, std::function<bool(StateKey)> is_member)
      : program_(program), is_member_(std::move(is_member)) {}

  // REQUIRES: the program stands at a choice among threads. It stands elsewhere afterwards.
  std::optional<Lockstep> run();
  // The component is too large to be looked at.
  bool gave_up() const { return gave_up_; }

 private:
  static constexpr std::size_t kEdgesMax = std::size_t{1} << 22;

  struct Edge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    ThreadId thread = 0;
    StateStep traits;
    std::uint32_t options_begin = 0;  // in options_
    std::uint32_t options_end = 0;
  };
  using Nodes = std::vector<std::uint32_t>;

  void collect();
  std::optional<Nodes> fair_part(Nodes nodes);
  std::vector<Nodes> components(const Nodes& nodes) const;
  std::vector<std::uint32_t> way(std::uint32_t from, const std::function<bool(const Edge&)>& is_last,
                                 const std::vector<bool>* within) const;
  Lockstep cycle_through(const Nodes& part);
  bool may_repeat(const Edge& edge) const {
    return !edge.traits.comes_further && !edge.traits.is_hidden && edge.options_end - edge.options_begin == 1;
  }

  StateProgram& program_;
  std::function<bool(StateKey)> is_member_;
  bool gave_up_ = false;
  std::vector<Edge> edges_;
  std::vector<std::vector<std::uint32_t>> out_;  // by node: its edges
  std::vector<std::vector<ThreadId>> enabled_;   // by node
  std::vector<Option> options_;
};

}  // namespace thrum
