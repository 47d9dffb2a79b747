// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares searches by constraint solving with brute force. Each function gives the first disagreement as
// text, and an empty text where there is none.
//
// What a search that claims something has not shown, it says cannot be. So the ways of threads are compared
// in both directions: those that brute force shows are those that the executions have shown, and the values
// that it lets threads read are those that the trees have.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "causality/causality_search.hpp"
#include "oracle/oracle.hpp"
#include "oracle/paths.hpp"

namespace thrum {

struct CausalityCount {
  std::uint64_t programs = 0;
  std::uint64_t covered = 0;  // of which the search claims to have seen all
  std::uint64_t executions = 0;
  std::uint64_t queries = 0;
  std::uint64_t states = 0;
  std::uint64_t trees = 0;                          // of programs whose values were compared
  std::map<std::string, std::uint64_t> problems{};  // why nothing was claimed, and how often

  std::string to_text() const;
};

// What a search shows.
struct CausalityShown {
  std::set<std::string> local_states;
  std::set<std::string> local_paths;
  std::set<std::string> local_paths_with_values;
  // What the trees have of values that threads have read (local_path.hpp); nothing: the trees do not tell
  // threads apart by their numbers.
  std::optional<std::set<std::string>> sequences_of_values;
  std::set<std::string> paths;  // of executions that no failure ended
  std::set<ToyBug> bugs;
  bool racy = false;  // an execution with a data race was met: the search ended there
  bool claims_races = false;
  std::uint64_t executions = 0;
  std::string problem;  // why it claims nothing; empty: it does
  std::string mistake;  // the search's; empty: none
};

// Runs the search to its end. reloads: behind each execution it says whether the search is saved and loaded,
// as if another process went on with it; empty: never.
CausalityShown run_causality(const ToyCode& code, CausalitySearch::Settings settings, CausalityCount& count,
                             const std::function<bool()>& reloads = {});

struct TeamSettings {
  std::size_t members = 2;
  std::uint64_t seed = 1;    // of who goes on when, and of who dies
  std::uint64_t deaths = 0;  // of a thousand steps; a new member comes for one that has died
};
// The same by several searches, which go on in a random order.
CausalityShown run_team(const ToyCode& code, CausalitySearch::Settings settings, const TeamSettings& team,
                        CausalityCount& count);

// The comparison by which the program is to be looked at. A search that does not claim what it could is a
// difference, too.
struct ClauseProgram;
std::string compare_clause_program(const ClauseProgram& program, CausalityCount& count,
                                   const MakeSolver& make_solver = {});

// Where make_solver is given, that is the solver, and the search is left to it: no walks.

// By values: all local states, the local paths with values, and the bugs.
std::string compare_values(const ToyCode& code, const Findings& findings, CausalityCount& count,
                           const MakeSolver& make_solver = {});

// By values: whether there is a data race.
std::string compare_races(const ToyCode& code, bool is_racy, CausalityCount& count,
                          const MakeSolver& make_solver = {});
// Where some execution has a data race: whether one is looked for among the states, without the solver. The
// races that executions show by chance, which are run for the values, do not count.
std::string find_race_by_asking(const ToyCode& code);

// By terms: all local paths, all paths, and the bugs; as many executions as there are paths.
std::string compare_paths(const ToyCode& code, const Paths& paths, CausalityCount& count,
                          const MakeSolver& make_solver = {});

}  // namespace thrum
