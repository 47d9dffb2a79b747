// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the searches of a team tell each other: several searches by constraint solving that together search
// one program, each with executions and a solver of its own.
//
// The idea. What a search learns depends on the traces alone, and on their order. So the team has one list of
// traces, and each member learns all of them in the order of the list: all have the same trees, node by node,
// and need no lock while they are at work. There are few executions, so learning each of them several times
// costs little beside finding them.
//
// One member leads: it looks at all states, asks what threads can do together, and says when nothing is left.
// The others help: they run what it has found, walk, and ask for a share of the targets. What one has found
// unreachable nobody asks for again until something new is learned. Where it is not clear yet whether
// something is left, members wait for each other.
//
// Thread safety: any number of threads; each member is in one. Tested by tests/causality/team_test.cpp.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "causality/thread_trees.hpp"
#include "causality/tree_states.hpp"
#include "model/trace.hpp"
#include "support/interrupt.hpp"

namespace thrum {

// What a search by constraint solving has done.
struct CausalityCounts {
  std::uint64_t queries = 0;
  std::uint64_t satisfiable = 0;
  std::uint64_t unsatisfiable = 0;
  std::uint64_t unknown = 0;
  std::uint64_t missed = 0;  // executions that did not show their target
  double seconds = 0;        // that the solver took
  std::uint64_t work = 0;    // of it (Solver::work)
  std::uint64_t executions = 0;
  std::uint64_t restarts = 0;
  std::uint64_t states = 0;   // of the trees, that were looked at
  std::uint64_t walked = 0;   // executions that a walk has found
  std::uint64_t strayed = 0;  // of those, that showed nothing new
  std::uint64_t races = 0;    // that were looked for in what is known, and shown
  std::uint64_t denied = 0;   // deadlocks, races and paths that were not shown

  void add(const CausalityCounts& other);

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.queries, self.satisfiable, self.unsatisfiable, self.unknown, self.missed,
                    self.seconds, self.work, self.executions, self.restarts, self.states, self.walked,
                    self.strayed, self.races, self.denied);
  }
};

class CausalityTeam {
 public:
  using Node = ThreadTrees::Node;
  using Member = std::uint32_t;

  // The leader is there from the beginning.
  static constexpr Member kLeader = 0;
  // keeps_traces: for members that may come.
  explicit CausalityTeam(bool keeps_traces) : keeps_traces_(keeps_traces) {}

  // A further member, that has learned nothing. interrupt: of its questions; may be nullptr.
  Member join(Interrupt* interrupt);
  // What it was at is left to the others.
  void leave(Member member);

  // Adds the trace of the execution that the member has run. False: it has to learn others first, that
  // next_trace() gives.
  bool add(Member member, const Trace& trace);
  // The next trace that the member has not learned; nullptr: it has learned all.
  std::shared_ptr<const Trace> next_trace(Member member);
  // The trace that the member has learned last has shown something new.
  void note_news(Member member);
  // How many it has learned.
  std::uint64_t place(Member member) const;
  // All trees begin again, with the trace that was added last. REQUIRES: there is no helper
  void begin_again();
  // What a saved search knew, that comes before all traces.
  void begin_with(std::string saved);
  std::string beginning() const;

  // Executions that lead to something new, for anybody to run who has learned all. Who takes one runs for its
  // target.
  void offer(std::vector<TreeStates::Found> found);
  std::optional<TreeStates::Found> take_offer(Member member);
  // It leads to nothing new any more.
  void drop_offer(Member member);

  // Whether it is worth asking solvers for targets. The leader says so.
  void let_solvers_ask();
  bool may_solvers_ask() const;

  // Of the targets that are open for a member, those that it is to ask for, until it says so again.
  struct Share {
    std::vector<Node> targets{};  // in their order; empty: nothing is left for this one
    bool others_ask = false;      // then: or run executions, or have shown something else meanwhile
  };
  Share share_of(Member member, std::span<const Node> open);
  // It runs an execution, for that target; kNone: for none, or for several.
  void runs_for(Member member, Node target);
  // Whether others have shown what the member has not learned, or run executions.
  bool others_are_ahead(Member member) const;
  // The member has found that they cannot be reached by what it has learned.
  void settle(Member member, std::span<const Node> targets);
  // The member asks for nothing and runs nothing. What it took to run and has not added is offered again.
  void rest(Member member);
  // Targets that executions of any member did not show.
  void miss(Node target);
  std::set<Node> missed() const;

  // The leader has nothing left. False: others have shown more meanwhile, or run executions still.
  bool close();
  bool is_closed() const;
  // REQUIRES: is_closed(). Ends the questions of helpers that are in threads of their own.
  void end_questions();

  // Changes with all that is told here.
  std::uint64_t changes() const;
  // Waits for another number, or until the interrupt (may be nullptr) is raised, which it looks at from time
  // to time.
  void await_change(std::uint64_t from, const Interrupt* interrupt) const;

  // What the member has done, and the memory that it takes, in bytes.
  void tell(Member member, const CausalityCounts& counts, std::uint64_t bytes);
  // All that others than the leader have done; and the memory that they and the list of traces take.
  CausalityCounts counts_of_helpers() const;
  std::uint64_t bytes_besides() const;

 private:
  struct Doing {
    std::uint64_t place = 0;  // in the list of traces
    bool asks = false;
    bool runs = false;
    std::optional<TreeStates::Found> offer{};  // that it took
    Interrupt* interrupt = nullptr;
    std::set<Node> targets{};  // that it asks for, or one for which it runs
    CausalityCounts counts{};
    std::uint64_t bytes = 0;
  };

  void change();
  void rest(Doing& doing);
  bool others_run(Member member) const;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  // Under the mutex.
  std::map<Member, Doing> members_{{kLeader, {}}};
  Member next_member_ = kLeader + 1;
  bool keeps_traces_;
  std::vector<std::shared_ptr<const Trace>> traces_;  // nullptr: it is not kept
  std::string beginning_;
  std::uint64_t bytes_of_traces_ = 0;
  std::vector<TreeStates::Found> offers_;
  std::uint64_t news_ = 0;  // so many traces, the last of which has shown something new
  std::set<Node> settled_;  // by what so many have shown:
  std::uint64_t settled_by_ = 0;
  std::set<Node> missed_;
  bool may_solvers_ask_ = false;
  bool is_closed_ = false;
  std::uint64_t changes_ = 0;
  CausalityCounts counts_of_gone_;
};

}  // namespace thrum
