// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares partial-order reductions that drop rounds of waiting loops (Rounds) with all states of a program.
#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <string_view>

#include "oracle/compare_reduction.hpp"
#include "oracle/random_waiting.hpp"
#include "oracle/waiting_visits.hpp"

namespace thrum {

enum class WaitingBy : std::uint8_t {
  classes,
  reads_from,  // ReadsFromSearch, at once: only failed assertions are compared
  unfolding,   // UnfoldingSearch, at once: those, and whether threads get stuck
  replicated,  // the same with place replication
  maker,       // WaitingSearch::make; the same is compared
};

struct WaitingSearch {
  Rounds rounds = Rounds::block;
  Reduction algorithm = Reduction::optimal;  // of search_waiting()
  bool is_best_first = false;                // then with persistent sets, and not shared
  WaitingBy by = WaitingBy::classes;
  Searched searched = Searched::at_once;  // not `attempted`: the machine begins plans again by itself
  std::uint64_t seed = 1;                 // by which workers share it, or priorities are chosen
  WaitingMutations mutations{};
  std::unique_ptr<Strategy> (*make)() = nullptr;
  std::uint64_t executions_max = 100'000;
};

// What a search ran, and what it has shown.
struct WaitingShown {
  bool gave_up = false;  // too many executions, or an endless one
  bool is_lost = false;
  bool claims_all = false;
  bool claims_too_soon = false;
  std::string problem{};  // Reporting::problem()
  std::uint64_t executions = 0;
  std::uint64_t complete = 0;  // all threads have ended
  std::uint64_t in_vain = 0;   // some waited for what came too late for them
  std::uint64_t stuck = 0;
  std::uint64_t failed = 0;
  std::uint64_t stopped = 0;  // everything was asleep, or the plan could not be followed
  std::uint64_t twice = 0;    // of a class that was run before
  std::uint64_t torn = 0;     // classes whose executions ended in different ways
  std::size_t refusals = 0;
  std::set<std::string> finals;        // by WaitingState::key()
  std::set<std::string> stuck_states;  // by WaitingState::key()
  std::set<std::uint64_t> failed_places{};

  // "36+72": complete, and in vain; a third number if some are stuck.
  std::string counts() const;
};

WaitingShown search_waiting(const WaitingCode& code, const WaitingSearch& how);

// The same by all interleavings of what is left of the program without those rounds. Executions are counted
// as classes: the first of each. So it says what the machine does, whatever a reduction does.
WaitingShown search_interleavings(const WaitingCode& code, const WaitingSearch& how);

// The first difference; empty: none. REQUIRES: neither gave up
std::string difference(const WaitingTruth& truth, const WaitingShown& shown, const WaitingSearch& how);

using WaitingSearcher = WaitingShown (*)(const WaitingCode& code, const WaitingSearch& how);

// The first difference to all states, and to that many executions (WaitingShown::counts(); empty: any
// number), with the program's name. Empty: there is none.
std::string compare_waiting(const WaitingCode& code, const WaitingSearch& how, std::string_view counts = "",
                            WaitingSearcher search = search_waiting);

// What all random programs of a family came to.
struct WaitingTotals {
  std::uint64_t programs = 0;
  std::uint64_t left_out = 0;  // too large
  std::uint64_t with_stuck = 0;
  std::uint64_t with_failed = 0;
  std::uint64_t executions = 0;
  std::uint64_t in_vain = 0;

  void add(const WaitingShown& shown);
  friend std::ostream& operator<<(std::ostream& out, const WaitingTotals& totals);
};

// Nothing: the program is too large; else the first difference, empty: none.
using WaitingComparison = std::optional<std::string> (*)(const WaitingCode& code, const WaitingSearch& how,
                                                         WaitingTotals& totals);
std::optional<std::string> search_and_states(const WaitingCode& code, const WaitingSearch& how,
                                             WaitingTotals& totals);
std::optional<std::string> interleavings_and_states(const WaitingCode& code, const WaitingSearch& how,
                                                    WaitingTotals& totals);
// The optimal algorithm runs as many executions as there are classes. Programs that fail are left out.
std::optional<std::string> search_and_interleavings(const WaitingCode& code, const WaitingSearch& how,
                                                    WaitingTotals& totals);

// The first of the programs of these seeds for which there is a difference, made smaller, and the difference.
// Empty: none.
std::string compare_random_waiting(WaitingFamily family, WaitingComparison compare, const WaitingSearch& how,
                                   std::uint64_t first_seed, std::uint64_t count, WaitingTotals& totals);

}  // namespace thrum
