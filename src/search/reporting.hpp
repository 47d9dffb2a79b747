// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a search reports of itself while it runs, besides what it claims.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "model/shown_unfolding.hpp"
#include "search/progress.hpp"
#include "search/shown_decisions.hpp"

namespace thrum {

class PartialOrder;

// What a search by unfolding has found (src/unfolding).
struct UnfoldingStatistics {
  std::uint64_t local_states =
      0;                       // of threads by themselves, but the first ones: visible operations with a past
  std::uint64_t vain = 0;      // executions that were planned for an operation that then had to wait
  std::uint64_t restarts = 0;  // it began again, since something was not as it seemed
  std::uint64_t queries = 0;   // executions of deadlocks and data races that were found in what is known
  std::uint64_t denied = 0;    // those that showed something else
  std::uint64_t pairs = 0;     // of pasts, that were tested for whether an execution can have both
  std::uint64_t bytes = 0;     // of memory, about
  std::optional<ShownUnfolding> shown = std::nullopt;  // for a picture, if one is wanted
};

// What a stateful search has found (src/stateful).
struct StatefulStatistics {
  std::uint64_t states = 0;        // of the program, different ones
  std::uint64_t ends = 0;          // of them: in which executions end
  std::uint64_t steps = 0;         // from one state to the next
  std::uint64_t depth = 0;         // the most steps of a schedule
  std::uint64_t blocking = 0;      // the same, depth first: of those that may have to wait
  std::uint64_t preemptions = 0;   // and the most preemptions
  std::uint64_t bytes = 0;         // for what was visited, at most
  std::uint64_t restarts = 0;      // it began again, since memory was shared that was not known to be
  double expected_collisions = 0;  // of the states' keys, each of which may hide a state
  double seconds = 0;
  bool sought_livelocks = false;        // as far as states were visited
  std::uint64_t unsought_lockstep = 0;  // components too large for livelocks in lockstep
  bool is_symmetric = false;            // states that differ only in where blocks lie were one
  std::uint64_t may_go_round = 0;       // livelocks in lockstep that no execution has shown
  struct Bound {
    std::uint64_t states = 0;  // that can be reached within it
    std::uint64_t steps = 0;
  };
  std::vector<Bound> bounds = {};  // of preemptions, from 0: those that were completed
  // How many states so many executions come to that are chosen in that order (StateCurve).
  struct Curve {
    std::string name;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> points;
  };
  std::vector<Curve> curves = {};

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.states, self.ends, self.steps, self.depth, self.blocking, self.preemptions,
                    self.bytes, self.restarts, self.expected_collisions, self.seconds, self.sought_livelocks,
                    self.unsought_lockstep, self.is_symmetric, self.may_go_round);
  }
};

// What a search by constraint solving has found (src/causality).
struct CausalityStatistics {
  std::uint64_t decisions = 0;    // places where threads go on as a value says, each way there by itself
  std::uint64_t outcomes = 0;     // of them, that were shown
  std::uint64_t unreachable = 0;  // of the decisions: it is proved that no other outcome is possible
  std::uint64_t undecided = 0;    // of what may be possible: nobody knows
  std::uint64_t nodes = 0;        // of the threads' trees
  std::uint64_t states = 0;       // of the trees, that were looked at without the solver
  std::uint64_t clauses = 0;
  std::uint64_t restarts = 0;  // it began again, since memory was shared that was not known to be
  std::uint64_t queries = 0;
  std::uint64_t satisfiable = 0;
  std::uint64_t unsatisfiable = 0;
  std::uint64_t unknown = 0;
  double seconds = 0;  // that the solver took

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.decisions, self.outcomes, self.unreachable, self.undecided, self.nodes, self.states,
                    self.clauses, self.restarts, self.queries, self.satisfiable, self.unsatisfiable,
                    self.unknown, self.seconds);
  }
};

// What a search keeps in order to go on.
struct SearchStatistics {
  std::uint64_t waiting = 0;    // plans, those in a file too
  std::uint64_t nodes = 0;      // that live in the execution tree, its root too
  std::uint64_t nodes_max = 0;  // at once, so far; 0: there is no tree
  std::uint64_t spilled = 0;    // plans that were written to a file so far
  // What the tree would be if it held steps (ExecutionTree::uncompressed); 0: not measured.
  std::uint64_t uncompressed = 0;
  std::uint64_t apart = 0;
  std::uint64_t complete = 0;
  std::uint64_t remembered = 0;  // bytes for insertions at points that may be passed again
  std::optional<UnfoldingStatistics> unfolding = std::nullopt;
  std::optional<CausalityStatistics> causality = std::nullopt;
  std::optional<StatefulStatistics> stateful = std::nullopt;
};

// What becomes of an execution in a reduced test suite (--suite).
enum class ForSuite : std::uint8_t {
  no,
  yes,          // it is one of the executions that together show all that the search is about
  starts_over,  // it is none, and neither are those before it: the strategy has begun again
};

// What a search does besides running executions, in executions of the program. It follows from what the
// search has done, and not from how long that took.
struct Effort {
  std::uint64_t done = 0;
  std::uint64_t next = 0;        // if next() is about to do much, so much at most
  std::optional<double> left{};  // an estimate of what is to come, executions included; nothing: not known
};

class Reporting {
 public:
  // Of a strategy that has nothing to report.
  static Reporting& nothing();

  // Why next() gave no plan though some are left, in one line; empty where none is left.
  virtual std::string problem() const { return {}; }

  // Whether the plan that next() wrote has run before, and runs again only to learn more from it. It is not
  // counted again.
  virtual bool repeats() const { return false; }

  virtual SearchStatistics statistics() const { return {}; }

  // Takes time in proportion to all that is known.
  virtual ShownDecisions decisions() const { return {}; }

  // How far the search is. Takes time in proportion to an execution at most.
  virtual Progress progress() { return {}; }

  // An estimate of the part of its own work that is done, by the executions alone: whoever asks, and how
  // often, makes no difference to it. Unlike that of progress() it may go back.
  virtual std::optional<double> estimate() const { return {}; }

  virtual Effort effort() const { return {}; }

  // The partial order of the execution that was learned last, where the strategy keeps it anyway.
  virtual const PartialOrder* last_order() const { return nullptr; }

  // Whether all executions so far whose partial order it gave were of different classes. Once it is not
  // known, it stays so.
  virtual bool has_run_none_twice() const { return false; }

  // Of the execution that was learned last. A strategy that answers anything but `no` wants all choices and
  // events of each execution.
  virtual ForSuite for_suite() const { return ForSuite::no; }

  // Of several strategies that take turns the name of the one that gave the last plan; else empty. It lives
  // as long as the program.
  virtual std::string_view member() const { return {}; }

 protected:
  ~Reporting() = default;
};

}  // namespace thrum
