// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search loop: runs a strategy's plans until none is left, a bug is found or the budget is used up, and
// returns the result.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "campaign/claims.hpp"
#include "campaign/confirm.hpp"
#include "campaign/statistics.hpp"
#include "execution/program.hpp"
#include "search/strategy.hpp"

namespace thrum {

struct FoundBug;
struct SearchResult;
struct SearchSoFar;
class SuiteTaker;

struct Limits {
  std::uint64_t executions = 0;     // 0: no limit. In a resumed search earlier executions count too
  bool keep_going = false;          // past the first bug, to every distinct one
  bool end_at_races = false;        // but end at a data race
  bool count_classes = false;       // also if the strategy keeps no partial orders; costs speed
  bool keeps_classes = false;       // only if it does, but then as many as with count_classes; costs memory
  bool count_local_states = false;  // costs speed
  bool count_values = false;        // costs speed; REQUIRES: the program can record accesses
  Fairness fairness = Fairness::off;
  Waiting waiting = Waiting::spins;  // of plans; if partial orders are kept, `written` instead of `changed`
  std::uint64_t executions_before = 0;  // added to the number that decides when audits are due
  bool audits = false;  // runs some schedules twice more, to see whether the program is under control
  // Takes the executions that the strategy chooses for a suite (Reporting::for_suite), and one of each bug.
  // REQUIRES: the strategy is one that chooses some.
  SuiteTaker* suite = nullptr;
  bool is_part = false;  // other workers search parts of the search: not all plans that are left are here
  // Whether at present no other worker searches a part. Empty: true unless is_part.
  std::function<bool()> holds_all;

  // Asked before each execution; true ends the search as out of time.
  std::function<bool()> out_of_time;
  // Called before each execution, with the plan that is about to run.
  std::function<void(const Plan&)> announce;
  // Called before each execution; may ask how far the search is. May be empty.
  std::function<void(const std::function<Progress()>&)> answer;
  // Seconds since some fixed moment.
  std::function<double()> now;
  // Called with each bug as soon as an execution has shown it, before anything else happens, and again when
  // it is confirmed. The callee saves it, so that it is not lost with this process. May be empty.
  std::function<void(const FoundBug&)> note_bug;
  // Asked when the search has ended: an execution to run again, since it may have a bug that could not be
  // decided when it ran. May be empty.
  std::function<std::optional<Plan>()> last_suspect;
  // Called when more levels are completed than before, with the search so far and its guarantee.
  std::function<void(const SearchResult&)> note_level;

  // Asked before each execution, and again if a limit has ended the search (last): whether to call `between`,
  // which may save the search, split its strategy or merge another one into it. May be empty.
  std::function<bool(bool last)> wants_between;
  std::function<void(SearchSoFar&)> between;
};

// A distinct bug, by (kind, message, place), and its best schedule so far: the one with the fewest
// preemptions; of several, the first found.
struct FoundBug {
  Failure failure;
  Plan plan;  // as departures from the non-preemptive base, whatever policy found it
  std::uint32_t preemptions = 0;
  bool minimal = false;  // every execution with fewer preemptions was run and did not show the bug
  std::optional<std::uint32_t> switches;  // switches of threads in its schedule; nothing: not counted
  bool switches_minimal = false;          // no schedule with as few preemptions has fewer switches
  std::uint64_t execution = 0;            // counts from 1
  double seconds = 0;
  std::string strategy;  // the member of a portfolio that found it; else empty
  // Not empty: its schedule did not show the bug again; the reason, in words that follow a semicolon. Then
  // the trace has no events, and the plan is the one that ran.
  std::string unconfirmed;
  bool simplified = false;  // its schedule is as simple as could be found (simplify.hpp)
  // Of a leak that only some schedules have: an execution without it.
  struct Without {
    Plan plan;
    Trace trace;  // with Wanted::kPlaces
  };
  std::optional<Without> without;
  // Of a search of states: whether the compiled program fails the same way on this schedule; nothing: not
  // tried.
  std::optional<bool> is_native = {};
  Trace trace;  // with Wanted::kPlaces
};

// The bug that this failure shows; nullptr: none.
FoundBug* find_bug(std::vector<FoundBug>& bugs, const Failure& failure);

enum class SearchEnd : std::uint8_t { exhausted, bug, time, executions, lost_control };

struct SearchResult {
  SearchEnd end = SearchEnd::exhausted;
  Guarantee guarantee;  // weakened by the claims
  std::vector<FoundBug> bugs;
  std::uint64_t executions = 0;
  std::uint64_t steps = 0;     // instrumented operations
  std::uint64_t trusted = 0;   // executions of classes that were judged before (Trace::trusted)
  std::uint64_t midway = 0;    // executions that began at a waypoint (Trace::midway)
  std::uint64_t audited = 0;   // executions whose schedules were run twice more, to compare
  Claims claims;               // how executions ended; the guarantee depends on it
  std::uint64_t withheld = 0;  // choices at which fairness left out options
  bool starved = false;        // the search ended because a thread starved under Fairness::watch
  std::uint16_t threads_max = 0;
  double seconds = 0;
  SearchStatistics kept;
  Statistics statistics;
  Plan lost_plan;           // lost_control: the plan that could not be followed or gave different results
  std::string lost_reason;  // empty: the worker noted it
  std::optional<Divergence>
      divergence;  // lost_control: where two runs of one schedule differ, if it is known
};

// A saved search, except its strategy.
struct SearchSoFar {
  SearchResult result;  // without its end and the data that only conclude() adds
  StatisticsKeeper statistics = StatisticsKeeper();
};

// from: the state to continue from. The strategy must have the state of that moment.
SearchResult explore(Program& program, Strategy& strategy, const Limits& limits,
                     SearchSoFar from = SearchSoFar());

// The two halves of explore(), for a search that several workers share. The first runs a part to its end (see
// SearchResult::end), or until it waits for other parts (Divisible::waits()); `from` must have the seconds
// since the beginning of the search. The second draws the conclusions for the whole search. REQUIRES: every
// strategy that was split off has been merged into this one, since its remaining plans would count as done.
SearchSoFar explore_part(Program& program, Strategy& strategy, const Limits& limits, SearchSoFar from);
SearchResult conclude(SearchSoFar so_far, Strategy& strategy);

// Adds the results of a part.
void merge(SearchSoFar& all, SearchSoFar part);

}  // namespace thrum
