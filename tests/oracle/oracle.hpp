// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oracle: runs every interleaving of a toy program, by plain recursion over copied states. It shares
// nothing with the search but the definition of events and of their dependence, and counts costs straight
// from docs/semantics.md, so that a search that agrees with it is right. Slow on purpose; nothing here is
// clever.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/event.hpp"
#include "oracle/toy_code.hpp"

namespace thrum {

struct OracleSettings {
  bool plain_is_visible = false;  // scheduling points before plain data too
  bool count_classes = false;
  bool count_local_states = false;
  bool only_races = false;         // finds racy and stopped, nothing else; is over at the first race
  std::size_t executions_max = 0;  // give up beyond; 0: never
};

// One execution.
struct Ending {
  int preemptions = 0;  // and timeouts: what it costs by the non-preemptive base
  int delays = 0;       // what it costs by round-robin
  bool racy = false;
  bool has_bug = false;
  ToyBug bug;        // has_bug
  FinalState state;  // where no assertion stopped it: a deadlock has both

  friend bool operator==(const Ending&, const Ending&) = default;
};

struct Findings {
  bool gave_up = false;
  std::unordered_map<std::string, Ending> executions;  // by schedule, as ToyProgram::schedule() writes it
  std::map<ToyBug, int> bugs;                          // with the fewest preemptions that show it
  std::map<int, std::uint64_t> by_preemptions;         // how many executions cost exactly that
  std::map<int, std::uint64_t> by_delays;
  std::set<std::string> classes;  // of maximal executions, each by its first linearization
  // Of each thread as ToyProgram::record_local_states() writes it, with the fewest preemptions that lead
  // there.
  std::map<std::string, int> local_states;
  bool racy = false;     // some execution has a data race
  bool stopped = false;  // some execution was stopped by a bug

  // Of finished and deadlocked executions, printed.
  std::set<std::string> final_states() const;
};

Findings enumerate(const ToyCode& code, const OracleSettings& settings = {});

class Interpreter;
struct OracleState;

// What an execution that ended in that state came to, but for what it cost. REQUIRES: nothing can go on.
Ending ending_of(const Interpreter& interpreter, const OracleState& state);

// The name of a maximal execution's class, by its events: its first linearization.
std::string name_of_class(const std::vector<Event>& events);

}  // namespace thrum
