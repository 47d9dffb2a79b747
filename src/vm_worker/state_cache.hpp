// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --state-cache: a stateful search of the program in the machine, as a strategy.
//
// The first call of next() searches all states. What then runs are executions of the ordinary kind, one for
// each bug: they follow the schedule that has shown it, as far as visible operations go. So a bug is
// confirmed, made simple and reported as in any other search.
//
// What a search has found stays in StateCache: if something is learned of the program by these executions,
// the session begins again with another strategy, and the states need not be searched again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "campaign/explore.hpp"
#include "protocol/job.hpp"
#include "search/strategy.hpp"
#include "stateful/state_curves.hpp"
#include "stateful/state_search.hpp"
#include "vm/machine.hpp"
#include "vm/states.hpp"

namespace thrum {

class StateCache {
 public:
  // All must outlive it. job: whose bounds, order and treatment of races it takes. has_to_stop: asked often,
  // between two steps, and told how far the search is.
  StateCache(vm::Machine& machine, const Job& job, std::function<bool(const Progress&)> has_to_stop)
      : machine_(machine), job_(job), has_to_stop_(std::move(has_to_stop)) {}

  // A strategy that searches the states, unless another one has, and then runs an execution for each bug.
  std::unique_ptr<Strategy> make_strategy();

  // Bugs that no execution has shown again; by the trace of the states' own execution. A livelock in lockstep
  // is no bug then.
  std::vector<FoundBug> unshown() const;
  // Why the machine could not go on somewhere; empty: it could.
  const std::string& refused() const { return refused_; }
  // Where addresses of blocks have come to matter; nothing: nowhere.
  const std::optional<std::vector<Place>>& escape() const { return escape_; }

 private:
  friend class StateCacheStrategy;

  // A choice of a schedule: an option, and whether its thread stands at a plain access, which in an ordinary
  // execution need not be a scheduling point.
  struct Choice {
    Option option;
    ChoiceKind kind = ChoiceKind::thread;
    bool is_plain = false;
  };
  struct Bug {
    StateBug found;
    std::vector<Choice> schedule;
    Trace trace;                 // of the states' own execution
    std::vector<Failure> races;  // that its schedule passes
    bool is_shown = false;
    bool is_clean_end = false;  // no bug, but an end in which every block was freed: so others may be leaks
  };

  void search();
  void note_end(const vm::VmStates& states, const StateSearch& search);
  void add_leaks();
  void trace_bugs(vm::VmStates& states);
  static void trace_bug(vm::VmStates& states, Bug& bug);
  static void note_races(vm::VmStates& states, Bug& bug);

  vm::Machine& machine_;
  const Job& job_;
  std::function<bool(const Progress&)> has_to_stop_;
  bool is_searched_ = false;
  bool is_stopped_ = false;  // from outside
  StateFindings findings_;
  static constexpr std::size_t kLeaksMax = 16;
  std::vector<StateBug> lost_;                // ends in which blocks were lost, each kind once
  std::optional<std::vector<Option>> clean_;  // the schedule of an end in which every block was freed
  Claims claims_;                             // of executions that were cut off
  std::vector<Bug> bugs_;
  std::uint64_t restarts_ = 0;
  double seconds_ = 0;
  std::string refused_;
  std::vector<StateCurve> curves_;
  bool is_symmetric_ = false;
  std::optional<std::vector<Place>> escape_;
};

}  // namespace thrum
